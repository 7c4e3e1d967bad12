"""Grades of passages by test questions or key facts, and the relevance that they imply.

Runs and grades meet by passage id; no texts are kept.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING

from sidelight.errors import InputError, UsageError
from sidelight.files import atomic_writer
from sidelight.formats.labels.graded_passages import is_graded, read_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.registry import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery, Grader
    from sidelight.schemas.grading.judgment import Unjudged

Qrels = dict[str, dict[str, int]]
"""Query id -> passage id -> grade."""

Cells = dict[str, dict[str, dict[str, int]]]
"""Query id -> passage id -> item id -> rating."""

WHOLE = ""
"""The item of a grade that is of the passage as a whole."""


@dataclass(frozen=True, slots=True)
class Rankings:
    """Ranks of a file's passages in each run.

    Attributes:
        places: Run -> query id -> passage id -> place, from 1.
        judged: Official judgments, the highest of a passage.
        passages: Query id -> ids of its passages.
    """

    places: dict[str, dict[str, dict[str, int]]]
    judged: Qrels
    passages: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Exam:
    """One grader's ratings.

    Attributes:
        grader: Who.
        cells: Its ratings; a passage of which it rated nothing is not there.
        unjudged: Cells that it could not rate.
    """

    grader: Grader
    cells: Cells = field(default_factory=dict)
    unjudged: int = 0

    def items(self, query_id: str) -> set[str]:
        """Return the items of a query by which any passage was graded."""
        return {item for cells in self.cells.get(query_id, {}).values() for item in cells}


@dataclass(frozen=True, slots=True)
class GradedFile:
    """All graders' ratings of a file, and its runs."""

    exams: dict[Grader, Exam]
    rankings: Rankings

    def exam(self, name: str | None = None) -> Exam:
        """Return what a grader rated.

        Args:
            name: Its prompt, or `prompt@model`; None where there is but one.

        Raises:
            InputError: Nothing was rated.
            UsageError: There is none of that name, or several.
        """
        titles = {title(grader): exam for grader, exam in self.exams.items()}
        if not titles:
            raise InputError(
                "the file has no rating of any passage",
                remedy="Grade its passages with `sidelight grade`.",
            )
        fits = [
            exam
            for grader, exam in self.exams.items()
            if name in {None, grader.prompt, title(grader)}
        ]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise UsageError(
                f"{len(fits)} graders fit: {', '.join(title(exam.grader) for exam in fits)}",
                remedy="Choose one with --grader.",
            )
        raise UsageError(
            f"no grader {name!r}; there are {', '.join(titles)}" + did_you_mean(name or "", titles)
        )


def title(grader: Grader) -> str:
    """Return what to call a grader: `prompt@model`."""
    return "@".join(part for part in (grader.prompt, grader.model) if part) or "unnamed"


def collect(queries: Iterable[GradedQuery]) -> GradedFile:
    """Collect what is rated, of queries that may come one at a time."""
    cells: dict[Grader, Cells] = defaultdict(dict)
    unjudged: dict[Grader, int] = defaultdict(int)
    ranks: dict[str, dict[str, dict[str, int]]] = {}
    judged: Qrels = {}
    passages: dict[str, list[str]] = {}
    for query in queries:
        passages[query.query_id] = [passage.passage_id for passage in query.passages]
        for passage in query.passages:
            for grader, ratings in _ratings(passage):
                known = {item: one for item, one in ratings if isinstance(one, int)}
                unjudged[grader] += len(ratings) - len(known)
                if known:
                    by_passage = cells[grader].setdefault(query.query_id, {})
                    by_passage.setdefault(passage.passage_id, {}).update(known)
            if passage.relevance is not None:
                judged.setdefault(query.query_id, {})[passage.passage_id] = passage.relevance
            for one in passage.rankings:
                run = ranks.setdefault(one.run, {})
                run.setdefault(query.query_id, {})[passage.passage_id] = one.rank
    return GradedFile(
        {grader: Exam(grader, found, unjudged[grader]) for grader, found in cells.items()},
        Rankings({run: _from_one(found) for run, found in ranks.items()}, judged, passages),
    )


def _ratings(passage: GradedPassage) -> Iterator[tuple[Grader, list[tuple[str, int | Unjudged]]]]:
    """Yield what each grader that rates gave the items, or the passage as a whole."""
    for grading in passage.gradings:
        rated = [
            (intern(item.item_id), item.rating) for item in grading.items if item.rating is not None
        ]
        if rated:
            yield grading.grader, rated
    for grade in passage.direct:
        if grade.rating is not None:
            yield grade.grader, [(WHOLE, grade.rating)]


def _from_one(queries: Mapping[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return places from 1: some runs count theirs from 0."""
    lowest = min(rank for ranks in queries.values() for rank in ranks.values())
    offset = 1 if lowest <= 0 else 0
    return {
        query_id: {passage_id: rank + offset for passage_id, rank in ranks.items()}
        for query_id, ranks in queries.items()
    }


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
