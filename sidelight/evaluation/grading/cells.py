"""Grading of passages by banks, cell by cell; cells that have a grade are not graded again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.labelling.direct_grade import DirectCase
from sidelight.evaluation.labelling.passage_grade import PassageCase
from sidelight.schemas.grading.graded_passage import (
    DirectGrade,
    GradedPassage,
    GradedQuery,
    Grading,
    ItemGrade,
)
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sidelight.evaluation.labelling.direct_grade import PoolGrades, PromptedDirectGrades
    from sidelight.evaluation.labelling.passage_grade import PassageGrader
    from sidelight.schemas.grading.rubric import ExamBank, ExamItem

    OnCells = Callable[[int], None]

# Passages graded at once: their prompts take memory while they wait for the model.
_PASSAGES_AT_ONCE = 1024


class Missing(NamedTuple):
    """The cells of one passage that are still to be graded by one bank."""

    passage: GradedPassage
    bank: ExamBank
    items: tuple[ExamItem, ...]

    @property
    def case(self) -> PassageCase:
        """Return what a grader is given."""
        return PassageCase(self.bank.query_text, self.passage.text, self.bank.kind, self.items)


def banks_by_query(banks: Sequence[ExamBank]) -> dict[str, list[ExamBank]]:
    """Return the banks of each query; one with subtopics has one for each."""
    found: dict[str, list[ExamBank]] = {}
    for bank in banks:
        found.setdefault(bank.topic_id, []).append(bank)
    return found


def missing_cells(
    queries: Sequence[GradedQuery], banks: Mapping[str, Sequence[ExamBank]], grader: PassageGrader
) -> list[Missing]:
    """Return the cells that a grader has not graded, passage by passage.

    A cell for which there was no usable answer counts as not graded.

    Args:
        queries: The passages.
        banks: By query.
        grader: Who is to grade.
    """
    found = []
    for query in queries:
        for bank in banks.get(query.query_id, ()):
            for passage in query.passages:
                grading = passage.grading(grader.grader(bank.kind))
                done = {
                    item.item_id
                    for item in (grading.items if grading else ())
                    if item.rating is not None and not isinstance(item.rating, Unjudged)
                }
                left = tuple(item for item in bank.tests if item.item_id not in done)
                if left:
                    found.append(Missing(passage, bank, left))
    return found


async def grade_cells(
    queries: Sequence[GradedQuery],
    banks: Mapping[str, Sequence[ExamBank]],
    grader: PassageGrader,
    on_cells: OnCells = lambda _: None,
) -> list[GradedQuery]:
    """Return the passages with all cells graded that a grader can grade.

    Args:
        queries: The passages.
        banks: By query; passages of other queries stay as they are.
        grader: Who grades.
        on_cells: Told how many cells have been graded, whenever some have.
    """
    todo = missing_cells(queries, banks, grader)
    grader.prepare([one.case for one in todo])
    slots = asyncio.Semaphore(_PASSAGES_AT_ONCE)

    async def graded(one: Missing) -> tuple[tuple[str, str], Grading]:
        async with slots:
            judgments = await grader(one.case)
        items = tuple(
            _item_grade(item.item_id, judgment.label, judgment.rationale)
            for item, judgment in zip(one.items, judgments, strict=True)
        )
        on_cells(len(items))
        key = one.passage.query_id, one.passage.passage_id
        return key, Grading(grader.grader(one.bank.kind), one.bank.kind, items)

    work: dict[tuple[str, str], list[Grading]] = {}
    for key, grading in await asyncio.gather(*map(graded, todo)):
        work.setdefault(key, []).append(grading)
    return [
        replace(
            query,
            passages=tuple(
                _in_bank_order(_with(passage, work), banks[query.query_id], grader)
                if (query.query_id, passage.passage_id) in work
                else passage
                for passage in query.passages
            ),
        )
        for query in queries
    ]


async def grade_directly(
    queries: Sequence[GradedQuery],
    texts: Mapping[str, str],
    grader: PromptedDirectGrades,
    on_cells: OnCells = lambda _: None,
) -> list[GradedQuery]:
    """Return the passages with a grade for the query as a whole; those that have one keep it.

    Args:
        queries: The passages.
        texts: Of the queries; passages of others stay as they are.
        grader: Who grades.
        on_cells: Told of each passage graded.
    """
    slots = asyncio.Semaphore(_PASSAGES_AT_ONCE)

    async def graded(passage: GradedPassage) -> GradedPassage:
        known = [one for one in passage.direct if one.grader == grader.grader]
        if passage.query_id not in texts or any(isinstance(one.rating, int) for one in known):
            return passage
        async with slots:
            (judgment,) = await grader(DirectCase(texts[passage.query_id], passage.text))
        on_cells(1)
        rating = judgment.label if isinstance(judgment.label, Unjudged) else int(judgment.label)
        relevant = isinstance(rating, int) and rating >= grader.method.relevant
        grade = DirectGrade(grader.grader, rating, judgment.rationale, relevant)
        return _with_direct(passage, grade)

    every = [passage for query in queries for passage in query.passages]
    return _as_queries(queries, await asyncio.gather(*map(graded, every)))


def grade_pools(
    queries: Sequence[GradedQuery], grader: PoolGrades, relevant: int
) -> list[GradedQuery]:
    """Return the passages with a grade by what all passages of their query have in common.

    All are graded anew: a passage more changes what the others have in common.

    Args:
        queries: The passages.
        grader: Who grades.
        relevant: The grade from which a passage counts as relevant.
    """
    return [
        replace(
            query,
            passages=tuple(
                _with_direct(passage, DirectGrade(grader.grader, grade, "", grade >= relevant))
                for passage, grade in zip(
                    query.passages, grader.grade([one.text for one in query.passages]), strict=True
                )
            ),
        )
        for query in queries
    ]


def _item_grade(item_id: str, label: str | Unjudged, answer: str) -> ItemGrade:
    if isinstance(label, Unjudged):
        return ItemGrade(item_id, label)
    return ItemGrade(item_id, int(label), answer, correct=int(label) > 0)


def _with(
    passage: GradedPassage, work: Mapping[tuple[str, str], Sequence[Grading]]
) -> GradedPassage:
    for grading in work.get((passage.query_id, passage.passage_id), ()):
        passage = passage.graded(grading)
    return passage


def _in_bank_order(
    passage: GradedPassage, banks: Sequence[ExamBank], grader: PassageGrader
) -> GradedPassage:
    """Return a passage whose cells stand as they would had all been graded at once."""
    places = {item.item_id: None for bank in banks for item in bank.tests}
    order = {item_id: place for place, item_id in enumerate(places)}
    ours = {grader.grader(bank.kind) for bank in banks}
    return replace(
        passage,
        gradings=tuple(
            replace(
                one, items=tuple(sorted(one.items, key=lambda item: order.get(item.item_id, -1)))
            )
            if one.grader in ours
            else one
            for one in passage.gradings
        ),
    )


def _with_direct(passage: GradedPassage, grade: DirectGrade) -> GradedPassage:
    others = tuple(one for one in passage.direct if one.grader != grade.grader)
    return replace(passage, direct=(*others, grade))


def _as_queries(
    queries: Sequence[GradedQuery], passages: Sequence[GradedPassage]
) -> list[GradedQuery]:
    found = iter(passages)
    return [
        replace(query, passages=tuple(next(found) for _ in query.passages)) for query in queries
    ]
