"""Which kind of file this is, by its content, and what reads and checks each kind."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from sidelight.formats.banks.rubrics import read_rubric
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    AssessmentKind,
    read_assessments,
)
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.lines import read_bytes
from sidelight.formats.runs.cited_text import check_report_run, read_report_run
from sidelight.formats.runs.official import official_task1, official_task2
from sidelight.formats.runs.question_list import check_question_run, read_question_run
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.formats.topics.articles import read_topics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.tracks import Track

_LOOKED_AT = 50  # lines; a kind is what most of them look like
_ASSESSMENTS: dict[str, AssessmentKind[Any]] = {
    kind.name: kind for kind in (QUESTION_ASSESSMENTS, ANSWER_ASSESSMENTS, COMPOUND_ASSESSMENTS)
}
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")
_QRELS_COLUMNS, _TASK1_FIELDS, _TREC_RUN_COLUMNS = 4, 5, 6


class FileKind(NamedTuple):
    """What `sidelight validate` does with one kind of file.

    Attributes:
        title: For people.
        unit: What `size` counts, in the singular.
        size: Reads a file and tells how much is in it; raises `InvalidFileError`.
        check: The strict check, where a track has rules beyond what can be read.
        official: The verdict of the track's own validator, where there is one.
    """

    title: str
    unit: str
    size: Callable[[Path, Track], int]
    check: Callable[[Path, Track, Collection[str], Container[str] | None], list[Problem]] | None = (
        None
    )
    official: Callable[[Path, Collection[str]], list[str]] | None = None


def _labels_of(kind: AssessmentKind[Any]) -> Callable[[Path, Track], int]:
    return lambda path, track: len(read_assessments(path, kind, track.scales))


KINDS: dict[str, FileKind] = {
    "task1": FileKind(
        "Task 1 run",
        "topic",
        lambda path, _: len({item.topic_id for item in read_question_run(path).questions}),
        lambda path, track, topic_ids, _: check_question_run(path, track, topic_ids),
        official_task1,
    ),
    "task2": FileKind(
        "Task 2 run",
        "topic",
        lambda path, _: len({item.metadata.topic_id for item in read_report_run(path).reports}),
        check_report_run,
        official_task2,
    ),
    "topics": FileKind("topics file", "topic", lambda path, _: len(read_topics(path))),
    "rubric": FileKind(
        "rubric", "question", lambda path, track: len(read_rubric(path, track.scales).questions)
    ),
    "question_assessments": FileKind(
        "question assessment file", "label", _labels_of(QUESTION_ASSESSMENTS)
    ),
    "report_assessments": FileKind(
        "report assessment file", "label", _labels_of(ANSWER_ASSESSMENTS)
    ),
    "compound_assessments": FileKind(
        "compound question file", "label", _labels_of(COMPOUND_ASSESSMENTS)
    ),
    "trec_run": FileKind("TREC run", "query", lambda path, _: len(read_trec_run(path))),
    "qrels": FileKind("qrels file", "query", lambda path, _: len(read_qrels(path))),
}


def detect_kind(path: Path) -> str | None:
    """Return the name of the kind in `KINDS` a file is likely meant to be, or None.

    It looks at what a broken file still has: keys, column names, the number of columns.

    Raises:
        InputError: The file cannot be read.
    """
    text = read_bytes(path).removeprefix(BOM_UTF8).decode("utf-8", errors="replace").strip()
    pieces = re.split("[\r\n]+", text, maxsplit=_LOOKED_AT)[:_LOOKED_AT]
    lines = [line for line in pieces if line.strip()]
    if not lines:
        return None
    if text.startswith("{"):
        return _json_kind(text)
    header = tuple(cell.strip('"') for cell in lines[0].split(","))
    for name, kind in _ASSESSMENTS.items():
        if kind.matches(header):
            return name
    [(best, _)] = Counter(_line_kind(line) for line in lines).most_common(1)
    return best


def _json_kind(text: str) -> str | None:
    for key, kind in (("rubrics", "rubric"), ("responses", "task2"), ("docid", "topics")):
        if re.search(rf'"{key}"\s*:', text):
            return kind
    return None


def _line_kind(line: str) -> str | None:
    if len(line.split("\t")) == _TASK1_FIELDS:
        return "task1"
    cells = line.split()
    if len(cells) == _TREC_RUN_COLUMNS and _NUMBER.fullmatch(cells[4]):
        return "trec_run"
    if len(cells) == _QRELS_COLUMNS and _NUMBER.fullmatch(cells[3]):
        return "qrels"
    return None
