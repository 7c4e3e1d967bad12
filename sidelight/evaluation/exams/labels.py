"""The relevance of a passage, from its ratings by items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.evaluation.exams.grades import collect
from sidelight.files import atomic_writer
from sidelight.formats.labels.graded_passages import is_graded, read_graded
from sidelight.formats.labels.qrels import read_qrels

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sidelight.evaluation.exams.grades import Exam, Qrels

LOWEST = 0
"""The grade of a passage that answers nothing."""


def relevance_label(ratings: Iterable[int], at_least: int = 1) -> int:
    """Return the best grade that at least so many items reach.

    label(p) = the m-th largest of grade(r, p) over all items r, for m = 1 the best grade.

    Args:
        ratings: One for each item.
        at_least: m. Where fewer items are rated, no grade is reached but the lowest.
    """
    ordered = sorted(ratings, reverse=True)
    return ordered[at_least - 1] if len(ordered) >= at_least else LOWEST


def exam_qrels(exam: Exam, at_least: int = 1) -> Qrels:
    """Return the label of every passage that the grader rated; see `relevance_label`."""
    return {
        query_id: {
            passage_id: relevance_label(ratings.values(), at_least)
            for passage_id, ratings in passages.items()
        }
        for query_id, passages in exam.cells.items()
    }


def read_labels(path: Path, grader: str | None = None, at_least: int = 1) -> Qrels:
    """Read labels: of a file of relevance labels, or one grader's of graded passages.

    Raises:
        InputError: The file cannot be read, or nothing in it is rated.
        UsageError: No grader, or several, fit the name.
    """
    if is_graded(path):
        return exam_qrels(collect(read_graded(path)).exam(grader), at_least)
    return read_qrels(path)


def write_qrels(path: Path, qrels: Qrels) -> int:
    """Write labels as trec_eval reads them, and return how many.

    Raises:
        InputError: An id has white space in it, which separates columns.
    """
    count = 0
    with atomic_writer(path) as stream:
        for query_id, grades in qrels.items():
            for passage_id, grade in grades.items():
                for name in (query_id, passage_id):
                    if name.split() != [name]:
                        raise InputError(
                            f"{path}: cannot write {name!r} in a file whose columns are separated "
                            "by white space"
                        )
                stream.write(f"{query_id} 0 {passage_id} {grade}\n")
                count += 1
    return count
