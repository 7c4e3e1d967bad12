"""Assessments as CSV: labels in the columns of the track's organizers, and support of sentences.

Human files call the label `annotation`, automatic ones `auto_assessment`; both are read, the
latter is written. An empty label means that nobody could judge, and is never taken for a grade.
Support of sentences has a row for each sentence of each report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

from sidelight.formats.lines import Findings
from sidelight.formats.table import Row, read_table, write_table
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    JudgedSentence,
    LabelScale,
    QuestionAssessment,
    Scales,
    Unjudged,
)
from sidelight.text import one_line, quoted

A = TypeVar("A", QuestionAssessment, AnswerAssessment, CompoundAssessment)

PEOPLE_LABELS = "annotation"
"""The column that people's files have for the label, and a judge's have not."""

_PANDAS_RANK = re.compile(r"0*([1-9][0-9]{0,5})(?:\.0+)?")  # pandas writes 1.0 below a missing rank
_SEPARATORS = re.compile(r"[_\s]+")


@dataclass(frozen=True, slots=True)
class AssessmentKind(Generic[A]):
    """One of the three kinds of assessment files.

    Attributes:
        name: As `formats.verdict.detect_format` calls it.
        value_type: What a row becomes; its fields are named like the columns.
        scale: Which of a track's scales has the labels a row may have.
        key: The columns that say what was judged; one label each.
        text_columns: Further columns, for people.
        label_columns: Where the label stands: the written name first.
        rationale_columns: Where the reason stands, if anywhere: the written name first.
    """

    name: str
    title: str
    value_type: type[A]
    scale: str
    key: tuple[str, ...]
    text_columns: tuple[str, ...] = ()
    label_columns: tuple[str, ...] = ("auto_assessment", PEOPLE_LABELS)
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
    "question assessment file",
    QuestionAssessment,
    "similarity",
    key=("topic_id", "rubric_question_rank", "run_tag", "run_question_rank"),
)
ANSWER_ASSESSMENTS = AssessmentKind(
    "report_assessments",
    "report assessment file",
    AnswerAssessment,
    "answers",
    key=("topic_id", "run_tag", "answer_id"),
)
COMPOUND_ASSESSMENTS = AssessmentKind(
    "compound_assessments",
    "compound question file",
    CompoundAssessment,
    "compound",
    key=("topic_id", "run_tag", "run_question_rank"),
    text_columns=("run_question_text",),
    label_columns=("auto_compound_question_assessment",),
    rationale_columns=("auto_assessment_rationale",),
)
ASSESSMENT_KINDS: dict[str, AssessmentKind[Any]] = {
    kind.name: kind for kind in (QUESTION_ASSESSMENTS, ANSWER_ASSESSMENTS, COMPOUND_ASSESSMENTS)
}
"""By name."""


def read_assessments(path: Path, kind: AssessmentKind[A], scales: Scales) -> list[A]:
    """Read one label for each thing judged, in the order of the file.

    Rows that repeat a label are left out; one that contradicts an earlier row is an error.
    """
    findings, key_of = Findings(path), kind.key_of
    first: dict[tuple[Hashable, ...], tuple[int, A]] = {}
    for line, assessment in _scan(path, kind, scales[kind.scale]):
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


def read_merged_assessments(path: Path, kind: AssessmentKind[A], scales: Scales) -> list[A]:
    """Read one label for each thing judged, the winning one where a thing has several.

    Which one wins is the scale's to say (`LabelScale.precedence`); any label wins over none.
    """
    key_of, scale = kind.key_of, scales[kind.scale]
    merged: dict[tuple[Hashable, ...], A] = {}
    for _, assessment in _scan(path, kind, scale):
        key = key_of(assessment)
        other = merged.get(key)
        if other is None or _wins(assessment.label, other.label, scale):
            merged[key] = assessment
    return list(merged.values())


def write_assessments(
    path: Path, kind: AssessmentKind[A], assessments: Iterable[A], label_column: str = ""
) -> None:
    """Write an assessment file; its column of labels is called as a judge's is if not named.

    An unjudged row has an empty label, and the reason in place of its rationale.
    """
    header = (*kind.columns, label_column or kind.label_columns[0], kind.rationale_columns[0])
    write_table(path, header, (_cells(kind, item) for item in assessments))


def _scan(path: Path, kind: AssessmentKind[A], scale: LabelScale) -> Iterator[tuple[int, A]]:
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
    # A file has many rows and few spellings of labels.
    spellings: dict[str, str | None] = {}
    for row in rows:
        if not any(row.cells.values()):
            continue  # as pandas writes a row that a stray line ending made
        rationale = row.cells[rationale_columns[0]] if rationale_columns else ""
        label = _label(row, label_columns[0], scale, spellings, findings)
        values: dict[str, Any] = {column: row.cells[column] for column in kind.columns}
        for column in rank_columns:
            values[column] = _rank(row, column, findings)
        values["label"] = label or Unjudged(reason=rationale or "empty label")
        values["rationale"] = rationale if label else ""
        yield row.line, kind.value_type(**values)
    findings.raise_errors()


def _label(
    row: Row, column: str, scale: LabelScale, known: dict[str, str | None], findings: Findings
) -> str | None:
    """Return the label in a row; None if the cell is empty, or holds none."""
    cell = row.cells[column]
    if cell not in known:
        spelling = _SEPARATORS.sub("-", cell.strip().casefold())
        found = scale.read(spelling)
        if spelling and found is None:
            where = f"in {column}, or nothing if nobody judged"
            findings.label(row.line, scale.writings, where, cell)
            return None
        known[cell] = found.name if found else None
    return known[cell]


def _rank(row: Row, column: str, findings: Findings) -> int:
    rank = _rank_number(row.cells[column])
    if rank is None:
        expected, found = f"a whole number from 1 in {column}", quoted(row.cells[column])
        remedy = "Write the rank in ASCII digits."
        findings.error("rank", row.line, expected=expected, found=found, remedy=remedy)
    return rank or 0


@lru_cache
def _rank_number(cell: str) -> int | None:
    match = _PANDAS_RANK.fullmatch(cell)
    return int(match[1]) if match else None


def _cells(kind: AssessmentKind[A], item: A) -> tuple[object, ...]:
    judged: list[object] = [getattr(item, column) for column in kind.columns]
    if isinstance(item.label, Unjudged):
        return (*judged, "", item.label.reason)
    return (*judged, item.label, item.rationale)


def _name(label: str | Unjudged) -> str:
    return "unjudged" if isinstance(label, Unjudged) else label


def _wins(label: str | Unjudged, other: str | Unjudged, scale: LabelScale) -> bool:
    if isinstance(label, Unjudged) or isinstance(other, Unjudged):
        return not isinstance(label, Unjudged)
    return label != other and scale.first((label, other)) == label


def write_support_sentences(path: Path, sentences: Iterable[JudgedSentence]) -> None:
    """Write the labels of sentences; a label is empty for one that is unjudged."""
    header = ["run_tag", "topic_id", "sentence", "citations", "first", "all", "reason", "text"]
    write_table(path, header, map(_row, sentences))


def _row(item: JudgedSentence) -> list[object]:
    labels = (
        "uncited" if label is None else "" if isinstance(label, Unjudged) else label
        for label in (item.first, item.all)
    )
    cited = " ".join(map(one_line, item.sentence.citations))
    text = one_line(item.sentence.text)
    return [item.run_tag, item.topic_id, item.number, cited, *labels, item.reason, text]


ANSWER_LEVELS = ("not_support", "partial_support", "support")
"""Labels of a nugget in an answer, from the lowest."""
