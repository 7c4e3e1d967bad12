"""Assessments as CSV, with the columns of the track's organizers.

Human files call the label `annotation`, automatic ones `auto_assessment`; both are read, the
latter is written. An empty label means that nobody could judge, and is never taken for a grade.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.table import Row, read_table, write_table
from sidelight.schemas.judgment import (
    AnswerAssessment,
    AnswerLabel,
    CompoundAssessment,
    CompoundLabel,
    QuestionAssessment,
    SimilarityLabel,
    Unjudged,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator
    from enum import StrEnum
    from pathlib import Path

A = TypeVar("A", QuestionAssessment, AnswerAssessment, CompoundAssessment)

_RANK = re.compile(r"0*([1-9][0-9]{0,5})(?:\.0+)?")  # pandas writes 1.0 below a missing rank
_SEPARATORS = re.compile(r"[_\s]+")
_PRECEDENCE = (
    AnswerLabel.NONE,
    AnswerLabel.PARTIAL,
    AnswerLabel.SUPPORTS,
    AnswerLabel.CONTRADICTS,
)


@dataclass(frozen=True, slots=True)
class AssessmentKind(Generic[A]):
    """One of the three kinds of assessment files.

    Attributes:
        name: As `formats.detect` calls it.
        value_type: What a row becomes; its fields are named like the columns.
        labels: The labels a row may have.
        key: The columns that say what was judged; one label each.
        text_columns: Further columns, for people.
        label_columns: Where the label stands: the written name first.
        rationale_columns: Where the reason stands, if anywhere: the written name first.
    """

    name: str
    value_type: type[A]
    labels: type[StrEnum]
    key: tuple[str, ...]
    text_columns: tuple[str, ...] = ()
    label_columns: tuple[str, ...] = ("auto_assessment", "annotation")
    rationale_columns: tuple[str, ...] = ("auto_rationale", "rationale")

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns before the label, in the organizers' order."""
        return self.key + self.text_columns

    def matches(self, header: tuple[str, ...]) -> bool:
        """Tell whether a file with these columns is of this kind."""
        return set(self.columns) <= set(header) and bool(set(self.label_columns) & set(header))

    @property
    def key_of(self) -> Callable[[A], tuple[Hashable, ...]]:
        """Return what tells what an assessment judged."""
        return attrgetter(*self.key)


QUESTION_ASSESSMENTS = AssessmentKind(
    "question_assessments",
    QuestionAssessment,
    SimilarityLabel,
    key=("topic_id", "rubric_question_rank", "run_tag", "run_question_rank"),
)
ANSWER_ASSESSMENTS = AssessmentKind(
    "report_assessments",
    AnswerAssessment,
    AnswerLabel,
    key=("topic_id", "run_tag", "answer_id"),
)
COMPOUND_ASSESSMENTS = AssessmentKind(
    "compound_assessments",
    CompoundAssessment,
    CompoundLabel,
    key=("topic_id", "run_tag", "run_question_rank"),
    text_columns=("run_question_text",),
    label_columns=("auto_compound_question_assessment",),
    rationale_columns=("auto_assessment_rationale",),
)


def read_question_assessments(path: Path) -> list[QuestionAssessment]:
    """Read labels of rubric questions against submitted questions (Task 1).

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A column, rank or label is wrong, or one pair has two labels.
    """
    return _read(path, QUESTION_ASSESSMENTS)


def read_answer_assessments(path: Path, *, merge: bool = False) -> list[AnswerAssessment]:
    """Read labels of rubric answers against reports (Task 2).

    Args:
        path: The CSV file.
        merge: Where one answer has several labels, keep contradicts before supports before partial
            before none before unjudged, as assessors were told to. Otherwise that is an error.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A column or label is wrong, or one answer has two labels.
    """
    if not merge:
        return _read(path, ANSWER_ASSESSMENTS)
    key_of = ANSWER_ASSESSMENTS.key_of
    merged: dict[tuple[Hashable, ...], AnswerAssessment] = {}
    for _, assessment in _scan(path, ANSWER_ASSESSMENTS):
        key = key_of(assessment)
        other = merged.get(key)
        if other is None or _weight(assessment) > _weight(other):
            merged[key] = assessment
    return list(merged.values())


def read_compound_assessments(path: Path) -> list[CompoundAssessment]:
    """Read which submitted questions ask more than one thing.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A column, rank or label is wrong, or one question has two labels.
    """
    return _read(path, COMPOUND_ASSESSMENTS)


def write_question_assessments(path: Path, assessments: Iterable[QuestionAssessment]) -> None:
    """Write `auto_question_assessments.csv`; see `write_answer_assessments`."""
    _write(path, QUESTION_ASSESSMENTS, assessments)


def write_answer_assessments(path: Path, assessments: Iterable[AnswerAssessment]) -> None:
    """Write `auto_report_assessments.csv`.

    An unjudged row has an empty label, and the reason in place of its rationale.
    """
    _write(path, ANSWER_ASSESSMENTS, assessments)


def write_compound_assessments(path: Path, assessments: Iterable[CompoundAssessment]) -> None:
    """Write `auto_compound_question_check.csv`; see `write_answer_assessments`."""
    _write(path, COMPOUND_ASSESSMENTS, assessments)


def _read(path: Path, kind: AssessmentKind[A]) -> list[A]:
    findings, key_of = Findings(path), kind.key_of
    first: dict[tuple[Hashable, ...], tuple[int, A]] = {}
    for line, assessment in _scan(path, kind):
        earlier_line, earlier = first.setdefault(key_of(assessment), (line, assessment))
        if earlier is not assessment and _name(earlier.label) != _name(assessment.label):
            findings.error(
                "label-conflict",
                line,
                expected=f"the label of line {earlier_line}, {_name(earlier.label)}",
                found=_name(assessment.label),
                remedy="Keep one row for each thing judged; `score task2 --merge` settles answers.",
            )
    findings.raise_errors()
    return [assessment for _, assessment in first.values()]


def _scan(path: Path, kind: AssessmentKind[A]) -> Iterator[tuple[int, A]]:
    """Yield the line and value of every row, repeated ones included; errors come at the end."""
    header, rows = read_table(path)
    findings = Findings(path)
    missing = [column for column in kind.columns if column not in header]
    label_columns = [column for column in kind.label_columns if column in header]
    rationale_columns = [column for column in kind.rationale_columns if column in header]
    if missing or len(label_columns) != 1:
        findings.error(
            "csv-columns",
            1,
            expected=f"{', '.join(kind.columns)} and exactly one of "
            f"{', '.join(kind.label_columns)}",
            found=", ".join(header),
            remedy="Rename or add the columns.",
        )
        findings.raise_errors()
    rank_columns = [column for column in kind.columns if column.endswith("_rank")]
    for row in rows:
        if not any(row.cells.values()):
            continue  # as pandas writes a row that a stray line ending made
        rationale = row.cells[rationale_columns[0]] if rationale_columns else ""
        label = _label(row, label_columns[0], kind.labels, rationale, findings)
        values: dict[str, Any] = {column: row.cells[column] for column in kind.columns}
        for column in rank_columns:
            values[column] = _rank(row, column, findings)
        values["label"] = label
        values["rationale"] = "" if isinstance(label, Unjudged) else rationale
        yield row.line, kind.value_type(**values)
    findings.raise_errors()


def _label(
    row: Row, column: str, labels: type[StrEnum], rationale: str, findings: Findings
) -> StrEnum | Unjudged:
    try:
        label = _label_named(row.cells[column], labels)
    except ValueError:
        findings.error(
            "label",
            row.line,
            expected=f"one of {', '.join(labels)} in {column}",
            found=quoted(row.cells[column]),
            remedy="Correct the label, or leave it empty if nobody judged.",
        )
        label = None
    return label or Unjudged(reason=rationale or "empty label")


def _rank(row: Row, column: str, findings: Findings) -> int:
    rank = _rank_number(row.cells[column])
    if rank is None:
        findings.error(
            "rank",
            row.line,
            expected=f"a whole number from 1 in {column}",
            found=quoted(row.cells[column]),
            remedy="Write the rank in ASCII digits.",
        )
    return rank or 0


# A file has many rows and few spellings of labels and ranks.
@lru_cache
def _label_named(cell: str, labels: type[StrEnum]) -> StrEnum | None:
    """Return a label, or None if the cell is empty; a `ValueError` if there is no such label."""
    name = _SEPARATORS.sub("-", cell.strip().casefold())
    return labels(name) if name else None


@lru_cache
def _rank_number(cell: str) -> int | None:
    match = _RANK.fullmatch(cell)
    return int(match[1]) if match else None


def _write(path: Path, kind: AssessmentKind[A], assessments: Iterable[A]) -> None:
    header = (*kind.columns, kind.label_columns[0], kind.rationale_columns[0])
    write_table(path, header, (_cells(kind, item) for item in assessments))


def _cells(kind: AssessmentKind[A], item: A) -> tuple[object, ...]:
    judged: list[object] = [getattr(item, column) for column in kind.columns]
    if isinstance(item.label, Unjudged):
        return (*judged, "", item.label.reason)
    return (*judged, item.label.value, item.rationale)


def _name(label: StrEnum | Unjudged) -> str:
    return "unjudged" if isinstance(label, Unjudged) else label.value


def _weight(assessment: AnswerAssessment) -> int:
    label = assessment.label
    return -1 if isinstance(label, Unjudged) else _PRECEDENCE.index(label)
