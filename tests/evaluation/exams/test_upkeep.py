"""Spurious items, uncovered passages and holes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.exams.grades import (
    Hole,
    ItemUse,
    Uncovered,
    collect,
    holes,
    spurious_items,
    suggested_item,
    uncovered_passages,
)
from tests.helpers.graded import example

FILE = collect(example())
EXAM, JUDGED = FILE.exam(), FILE.rankings.judged
BANK = {"q": ["q/1", "q/2", "q/3"], "r": ["r/1", "r/2", "r/3", "r/4"]}


def test_an_item_is_spurious_where_irrelevant_passages_answer_it() -> None:
    found = spurious_items(EXAM, JUDGED, min_grade=4, min_judgment=2)
    assert found == [ItemUse("q", "q/1", 1, 1), ItemUse("q", "q/2", 1, 0)]
    assert spurious_items(EXAM, JUDGED, min_grade=3, min_judgment=2)[-1] == ItemUse(
        "r", "r/2", 1, 1
    )


def test_a_relevant_passage_that_answers_nothing_is_uncovered() -> None:
    found = uncovered_passages(EXAM, JUDGED, min_grade=4, min_judgment=2)
    assert found == [Uncovered("q", "c", 2, 1)]


def test_holes_are_what_nobody_graded() -> None:
    assert holes(EXAM, FILE.rankings, {"q": BANK["q"]}) == [Hole("q", "c", 1, in_file=True)]
    found = holes(EXAM, FILE.rankings, BANK, [{"q": ["a", "new"], "unknown": ["x"]}])
    assert Hole("q", "new", 3, in_file=False) in found
    assert [one for one in found if one.query_id == "r"] == [
        Hole("r", "d", 1, in_file=True),
        Hole("r", "e", 1, in_file=True),
    ]


def test_a_suggestion_is_about_the_query_and_new() -> None:
    text = "Welcome. Peat is burnt for heat in Ireland. Peat is sold to gardeners as a potting mix."
    assert "Ireland" in suggested_item("peat burnt where", text)
    known = ["Peat is burnt for heat in Ireland"]
    assert "gardeners" in suggested_item("peat", text, known)
    assert suggested_item("peat", "") == ""
    assert suggested_item("peat", "Peat burns.") == "Peat burns."


@given(query=st.text(max_size=20), text=st.text(max_size=200))
def test_any_text_gives_a_line(query: str, text: str) -> None:
    assert "\n" not in suggested_item(query, text)
