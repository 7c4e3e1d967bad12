"""Relevance labels in the four columns of trec_eval: `query iteration segment grade`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.errors import InvalidFileError
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_columns, write_columns
from sidelight.schemas.grading.graded_passage import HIGHEST_RELEVANCE, LOWEST_RELEVANCE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.schemas.grading.judgment import LabelScale

QRELS_COLUMNS = ("query", "iteration", "segment", "grade")
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read grades by query and segment; ids stay text, so that `007` and `7` are two queries.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has not four columns or no grade from `LOWEST_RELEVANCE` to
            `HIGHEST_RELEVANCE`, or one pair has two grades.
    """
    findings = Findings(path)
    grades: dict[str, dict[str, int]] = {}
    for line, (query_id, _, segment_id, cell) in read_columns(path, QRELS_COLUMNS):
        grade = int(cell) if _GRADE.fullmatch(cell) else None
        if grade is None or not LOWEST_RELEVANCE <= grade <= HIGHEST_RELEVANCE:
            findings.error(
                "grade",
                line,
                expected=f"a whole number from {LOWEST_RELEVANCE} to {HIGHEST_RELEVANCE} in the "
                "fourth column",
                found=quoted(cell),
                remedy="Write grades as integers, on the scale of the collection.",
            )
            continue
        earlier = grades.setdefault(query_id, {}).setdefault(segment_id, grade)
        if earlier != grade:
            findings.error(
                "grade-conflict",
                line,
                expected=f"one grade for query {query_id} and {segment_id}, {earlier}",
                found=str(grade),
                remedy="Keep one of the two lines.",
            )
    findings.raise_errors()
    return grades


def check_qrels(path: Path, scale: LabelScale, topic_ids: Collection[str]) -> list[Problem]:
    """Return all that is wrong with labels handed in; they need not cover all topics.

    Args:
        path: The file.
        scale: The grades there are.
        topic_ids: The topics there are.

    Raises:
        InputError: The file cannot be read.
    """
    findings = Findings(path)
    try:
        read_qrels(path)
    except InvalidFileError as error:
        return list(error.problems)
    for line, (query_id, _, _, cell) in read_columns(path, QRELS_COLUMNS):
        if scale.read(cell) is None:
            findings.error(
                "grade-unknown",
                line,
                expected=f"one of {', '.join(scale.writings)}",
                found=quoted(cell),
                remedy="Give the grades of the track.",
            )
        if query_id not in topic_ids:
            findings.error(
                "topic-unknown",
                line,
                expected="a topic of the track",
                found=quoted(query_id),
                remedy="Remove the topic, or name its topics file with --topics.",
            )
    return findings.problems


def write_qrels(path: Path, grades: Mapping[str, Mapping[str, int]]) -> None:
    """Write grades by query and segment, in the order given.

    Raises:
        InputError: An id is empty or holds white space.
    """
    write_columns(
        path,
        (
            (query_id, 0, segment_id, grade)
            for query_id, segments in grades.items()
            for segment_id, grade in segments.items()
        ),
    )
