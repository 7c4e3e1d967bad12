"""Assessments as CSV: labels in the columns of the track's organizers, and support of sentences.

Human files call the label `annotation`, automatic ones `auto_assessment`; both are read, the
latter is written. An empty label means that nobody could judge, and is never taken for a grade.
Support of sentences has a row for each sentence of each report.

Files of people's labels, as TREC RAG 2024 published them, read line by line.

Plain or gzip. Whatever is wrong with a line is an `InvalidFileError` that names file and line.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.files import open_binary
from sidelight.formats.lines import Findings, quoted
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
from sidelight.schemas.run import CitedSentence
from sidelight.text import one_line

A = TypeVar("A", QuestionAssessment, AnswerAssessment, CompoundAssessment)

PEOPLE_LABELS = "annotation"
"""The column that people's files have for the label, and a judge's have not."""

_PANDAS_RANK = re.compile(r"0*([1-9][0-9]{0,5})(?:\.0+)?")  # pandas writes 1.0 below a missing rank
_SEPARATORS = re.compile(r"[_\s]+")


@dataclass(frozen=True, slots=True)
class AssessmentKind(Generic[A]):
    """One of the three kinds of assessment files.

    Attributes:
        name: As `formats.detect` calls it.
        title: What people call a file of it.
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


def read_assessments(path: Path, kind: AssessmentKind[A], scales: Scales) -> list[A]:
    """Read one label for each thing judged, in the order of the file.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A column, rank or label is wrong, or one thing has two labels.
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

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A column, rank or label is wrong.
    """
    key_of, scale = kind.key_of, scales[kind.scale]
    merged: dict[tuple[Hashable, ...], A] = {}
    for _, assessment in _scan(path, kind, scale):
        key = key_of(assessment)
        other = merged.get(key)
        if other is None or _wins(assessment.label, other.label, scale):
            merged[key] = assessment
    return list(merged.values())


def write_assessments(path: Path, kind: AssessmentKind[A], assessments: Iterable[A]) -> None:
    """Write an assessment file.

    An unjudged row has an empty label, and the reason in place of its rationale.
    """
    header = (*kind.columns, kind.label_columns[0], kind.rationale_columns[0])
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
            findings.error(
                "label",
                row.line,
                expected=f"one of {', '.join(scale.writings)} in {column}",
                found=quoted(cell),
                remedy="Correct the label, or leave it empty if nobody judged.",
            )
            return None
        known[cell] = found.name if found else None
    return known[cell]


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

SUPPORT_LEVELS = ("0", "1", "2")
"""Labels of a segment for a sentence, from the lowest: none, partial, full."""

_NOT_JUDGED = "-1"
_MAX_LINE = 16_000_000  # characters; a longer line is no answer
_MAX_FOUND = 60
_GZIP = b"\x1f\x8b"


class JudgedAnswer(NamedTuple):
    """One run's answer to a topic, with people's labels.

    Attributes:
        topic: Id of the topic.
        run: Id of the run.
        query: What was asked; may be empty.
        text: The answer.
        items: The nuggets.
        vital: Whether each is vital.
        levels: The place of each label in `ANSWER_LEVELS`.
    """

    topic: str
    run: str
    query: str
    text: str
    items: tuple[str, ...]
    vital: tuple[bool, ...]
    levels: tuple[int, ...]


class JudgedCitation(NamedTuple):
    """One sentence and one segment that it cites, with people's label.

    Attributes:
        topic: Id of the topic.
        run: Id of the run.
        sentence: The sentence.
        segment: Id of the segment.
        level: 0 none, 1 partial, 2 full support.
    """

    topic: str
    run: str
    sentence: str
    segment: str
    level: int


class Segments(NamedTuple):
    """Texts of segments, and the topics they were retrieved for.

    Attributes:
        texts: Segment id -> text.
        queries: Topic id -> what was asked.
        by_topic: Topic id -> the ids of its segments.
    """

    texts: dict[str, str]
    queries: dict[str, str]
    by_topic: dict[str, tuple[str, ...]]


def read_answers(path: Path) -> list[JudgedAnswer]:
    """Read a file with lines like those of `nugget-assignments.jsonl.gz`.

    Raises:
        InvalidFileError: The file cannot be read, or a line is not of this form, or it is empty.
    """
    answers = []
    for number, line in _objects(path):
        place = _Place(path, number, line)
        nuggets = place.objects("nuggets")
        answers.append(
            JudgedAnswer(
                topic=place.string("qid"),
                run=place.string("run_id"),
                query=place.string("query", default=""),
                text=place.string("answer_text"),
                items=tuple(nugget.string("text") for nugget in nuggets),
                vital=tuple(
                    nugget.string("importance", default="vital") == "vital" for nugget in nuggets
                ),
                levels=tuple(nugget.level("assignment", ANSWER_LEVELS) for nugget in nuggets),
            )
        )
    _check_not_empty(path, answers)
    return answers


def read_citations(path: Path) -> list[JudgedCitation]:
    """Read a file with lines like those of `support-judgments.*.jsonl.gz`.

    Citations labelled -1 (not judged) and sentences whose text is missing are left out. The keys
    of the sentence's number and of joint labels, which differ between the files, are not read.

    Raises:
        InvalidFileError: The file cannot be read, or a line is not of this form, or it is empty.
    """
    citations = []
    for number, line in _objects(path):
        place = _Place(path, number, line)
        topic, run = place.string("topic_id"), place.string("run_id")
        for sentence in place.objects("sentences"):
            if not isinstance(sentence.value.get("text"), str):
                continue
            text = sentence.string("text")
            for citation in sentence.objects("citations"):
                if str(citation.value.get("support")) == _NOT_JUDGED:
                    continue
                level = citation.level("support", SUPPORT_LEVELS)
                segment = citation.string("reference")
                citations.append(JudgedCitation(topic, run, text, segment, level))
    _check_not_empty(path, citations)
    return citations


def read_sentences(path: Path, scale: LabelScale) -> list[JudgedSentence]:
    """Read the same files sentence by sentence, with those that cite nothing.

    The label of the first citation decides, and that of all together; of a single citation it is
    the same. What is labelled -1 or not labelled is unjudged.

    Args:
        path: The file.
        scale: Of support, whose labels are those of the file.

    Raises:
        InvalidFileError: The file cannot be read, or a line is not of this form, or it is empty.
    """
    found: list[JudgedSentence] = []
    for number, line in _objects(path):
        place = _Place(path, number, line)
        topic, run = place.string("topic_id"), place.string("run_id")
        for position, sentence in enumerate(place.objects("sentences"), start=1):
            cited = sentence.objects("citations")
            labels = [one.label("support", scale) for one in cited]
            # The key is spelt so in the published file; the other file has no such label.
            together = [sentence.label("citationsCombibed", scale)] if len(labels) > 1 else labels
            text = sentence.value.get("text")
            found.append(
                JudgedSentence(
                    run_tag=run,
                    topic_id=topic,
                    number=position,
                    first=labels[0] if labels else None,
                    all=together[0] if together else None,
                    reason="",
                    sentence=CitedSentence(
                        text=text if isinstance(text, str) else "",
                        citations=tuple(one.string("reference") for one in cited),
                    ),
                )
            )
    _check_not_empty(path, found)
    return found


def read_segments(path: Path) -> Segments:
    """Read a file with lines like those of `references.jsonl.gz`.

    Raises:
        InvalidFileError: The file cannot be read, or a line is not of this form, or it is empty.
    """
    segments = Segments({}, {}, {})
    for number, line in _objects(path):
        place = _Place(path, number, line)
        topic = place.string("topic")
        ids, texts = place.strings("references_ids"), place.strings("references_texts")
        if len(ids) != len(texts):
            place.fail(f"as many references_texts as references_ids ({len(ids)})", len(texts))
        segments.texts.update(zip(ids, texts, strict=True))
        segments.queries[topic] = place.string("query", default="")
        segments.by_topic[topic] = tuple(ids)
    _check_not_empty(path, segments.texts)
    return segments


class _Place:
    """One object of a line, read with complaints that name file and line."""

    def __init__(self, path: Path, number: int, value: Mapping[str, Any]) -> None:
        self.value = value
        self._path = path
        self._number = number

    def string(self, key: str, default: str | None = None) -> str:
        value = self.value.get(key, default)
        if not isinstance(value, str):
            self.fail(f"a text under {key!r}", value)
        return value

    def strings(self, key: str) -> list[str]:
        values = self._list(key)
        if not all(isinstance(value, str) for value in values):
            self.fail(f"texts under {key!r}", values)
        return values

    def objects(self, key: str) -> list[_Place]:
        values = self._list(key)
        if not all(isinstance(value, dict) for value in values):
            self.fail(f"objects under {key!r}", values)
        return [_Place(self._path, self._number, value) for value in values]

    def level(self, key: str, labels: tuple[str, ...]) -> int:
        label = str(self.value.get(key))
        if label not in labels:
            self.fail(f"one of {', '.join(labels)} under {key!r}", self.value.get(key))
        return labels.index(label)

    def label(self, key: str, scale: LabelScale) -> str | Unjudged:
        label = str(self.value.get(key, _NOT_JUDGED))
        if label == _NOT_JUDGED:
            return Unjudged(reason="not judged")
        if scale.read(label) is None:
            self.fail(f"one of {', '.join(scale.writings)} under {key!r}", self.value.get(key))
        return label

    def _list(self, key: str) -> list[Any]:
        value = self.value.get(key)
        if not isinstance(value, list):
            self.fail(f"a list under {key!r}", value)
        return value

    def fail(self, expected: str, found: object) -> NoReturn:
        raise _invalid(self._path, self._number, expected, repr(found)[:_MAX_FOUND])


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line that is not empty, with its number, as a JSON object."""
    try:
        with (
            open_binary(path) as stream,
            io.TextIOWrapper(stream, encoding="utf-8") as lines,
        ):
            number = 0
            while line := lines.readline(_MAX_LINE):
                number += 1
                if len(line) == _MAX_LINE:
                    raise _invalid(path, number, f"fewer than {_MAX_LINE:,} characters", "more")
                if line.strip():
                    yield number, _object(path, number, line)
    except UnicodeDecodeError as error:
        raise _invalid(path, None, "UTF-8", f"bytes that are not: {error.reason}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be read: {error}", remedy="Give a text file of JSON lines, or its .gz."
        ) from error


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        found = line.strip()[:_MAX_FOUND]
        raise _invalid(path, number, "a JSON object", repr(found)) from error
    if not isinstance(value, dict):
        raise _invalid(path, number, "a JSON object", repr(value)[:_MAX_FOUND])
    return value


def _check_not_empty(path: Path, found: Sized) -> None:
    if not found:
        raise _invalid(path, None, "at least one label or text", "none")


def _invalid(path: Path, number: int | None, expected: str, found: str) -> InvalidFileError:
    remedy = "The files of TREC RAG 2024 show the form."
    return InvalidFileError([Problem("label-line", str(path), number, expected, found, remedy)])
