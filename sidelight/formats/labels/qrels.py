"""Relevance labels in the four columns of trec_eval: `query iteration segment grade`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.files import atomic_writer
from sidelight.formats.columns import read_columns
from sidelight.formats.findings import Findings, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_GRADE = re.compile(r"[+-]?[0-9]{1,9}")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read grades by query and segment; ids stay text, so that `007` and `7` are two queries.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has not four columns or no whole grade, or one pair has two grades.
    """
    findings = Findings(path)
    grades: dict[str, dict[str, int]] = {}
    for line, (query_id, _, segment_id, cell) in read_columns(
        path, ("query", "iteration", "segment", "grade")
    ):
        if not _GRADE.fullmatch(cell):
            findings.error(
                "grade",
                line,
                expected="a whole number in the fourth column",
                found=quoted(cell),
                remedy="Write grades as integers.",
            )
            continue
        grade = int(cell)
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


def write_qrels(path: Path, grades: Mapping[str, Mapping[str, int]]) -> None:
    """Write grades by query and segment, in the order given.

    Raises:
        InputError: An id is empty or holds white space.
    """
    with atomic_writer(path) as stream:
        for query_id, segments in grades.items():
            for segment_id, grade in segments.items():
                for name in (query_id, segment_id):
                    if name.split() != [name]:
                        raise InputError(
                            f"{path}: cannot write {name!r} in a file whose columns are separated "
                            "by white space"
                        )
                stream.write(f"{query_id} 0 {segment_id} {grade}\n")
