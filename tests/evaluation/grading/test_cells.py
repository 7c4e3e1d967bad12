"""Only missing cells are graded, and the result is that of grading all at once."""

from __future__ import annotations

import asyncio
import zlib
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.exams.cells import (
    banks_by_query,
    grade_cells,
    grade_directly,
    missing_cells,
)
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.evaluation.labelling.passage_grade import (
    DIRECT_METHODS,
    PassageCase,
    PassageGrader,
    PromptedDirectGrades,
)
from sidelight.llm.cache import ScriptedModel
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery, Grader
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamBank, ExamKind, new_item


class Hashes(PassageGrader):
    """Grades by a hash, and counts how often each cell is graded."""

    def __init__(self, *, fails: bool = False) -> None:
        self.graded: Counter[tuple[str, str]] = Counter()
        self.fails = fails

    def grader(self, kind: ExamKind) -> Grader:
        return Grader(f"hashes {kind}", "none")

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        self.graded.update((case.passage, item.item_id) for item in case.items)
        if self.fails:
            return [Judgment(Unjudged(reason="nobody there"))] * len(case.items)
        return [
            Judgment(str(zlib.crc32(f"{case.passage}{item.text}".encode()) % 6), item.text)
            for item in case.items
        ]


def pool(*sizes: int) -> list[GradedQuery]:
    return [
        GradedQuery(
            f"q{number}",
            tuple(
                GradedPassage(f"q{number}", f"p{place}", f"text {number} {place}")
                for place in range(size)
            ),
        )
        for number, size in enumerate(sizes)
    ]


def bank(query: str, items: int, kind: ExamKind = "question") -> ExamBank:
    tests = tuple(new_item(query, f"{kind} {number}") for number in range(items))
    return ExamBank(topic_id=query, query_text="a query", kind=kind, tests=tests)


def grade(queries: list[GradedQuery], banks: list[ExamBank], grader: Hashes) -> list[GradedQuery]:
    return asyncio.run(grade_cells(queries, banks_by_query(banks), grader))


def grown(old: list[GradedQuery], new: list[GradedQuery]) -> list[GradedQuery]:
    known = {(one.query_id, one.passage_id): one for query in old for one in query.passages}
    return [
        replace(
            query,
            passages=tuple(
                known.get((one.query_id, one.passage_id), one) for one in query.passages
            ),
        )
        for query in new
    ]


sizes = st.integers(0, 4)


@given(few=sizes, more=sizes, items=st.integers(1, 4), further=sizes)
def test_grading_in_parts_is_grading_at_once(few: int, more: int, items: int, further: int) -> None:
    first, everything = pool(few, 2), pool(few + more, 2)
    banks = [bank("q0", items + further), bank("q1", items), bank("q1", further, "nugget")]
    start = [bank("q0", items), bank("q1", items)]
    in_parts, at_once = Hashes(), Hashes()
    done = grade(first, start, in_parts)
    done = grade(grown(done, everything), start, in_parts)
    done = grade(done, banks, in_parts)
    assert done == grade(everything, banks, at_once)
    assert in_parts.graded == at_once.graded
    assert set(in_parts.graded.values()) <= {1}
    assert not missing_cells(done, banks_by_query(banks), in_parts)


def test_what_could_not_be_graded_is_asked_for_again() -> None:
    broken, whole = Hashes(fails=True), Hashes()
    banks = [bank("q0", 3)]
    done = grade(pool(2), banks, broken)
    assert all(isinstance(one.rating, Unjudged) for one in done[0].passages[0].gradings[0].items)
    again = grade(done, banks, whole)
    assert again == grade(pool(2), banks, Hashes())
    assert whole.graded.total() == 6


def test_queries_without_a_bank_stay_as_they_are() -> None:
    queries = pool(2, 2)
    done = grade(queries, [bank("q1", 2)], Hashes())
    assert done[0] == queries[0]
    assert done[1] != queries[1]


def test_direct_grades_are_given_once() -> None:
    replies = ['{"reasons": "so", "verdict": "Yes"}', '{"reasons": "so", "verdict": "No"}']
    model = ScriptedModel(replies)
    asked = PromptedModel(model, Sampling(), lambda _: None)
    grader = PromptedDirectGrades(DIRECT_METHODS["Sun"], asked, "scripted")
    done = asyncio.run(grade_directly(pool(2, 1), {"q0": "a query"}, grader))
    model.assert_finished()
    assert [one.direct[0].rating for one in done[0].passages] == [1, 0]
    assert [one.direct[0].correct for one in done[0].passages] == [True, False]
    assert done[1].passages[0].direct == ()
    assert asyncio.run(grade_directly(done, {"q0": "a query"}, grader)) == done
