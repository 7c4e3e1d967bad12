"""The page to check grades: what it shows, and that what passages say cannot act on it."""

import pytest

from sidelight.errors import InputError
from sidelight.schemas.grading.graded_passage import (
    DirectGrade,
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
    OfficialJudgment,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.view.verification.page import Cell, render_verification, verification

RATES, ANSWERS, DIRECT = Grader("rates", "m"), Grader("answers", "m"), Grader("direct", "m")


def passage(name, *ratings, text="Text."):
    rated = tuple(
        ItemGrade(f"q/{place}", rating, str(rating)) for place, rating in enumerate(ratings)
    )
    told = tuple(ItemGrade(f"q/{place}", None, f"said of {place}") for place in range(len(ratings)))
    return GradedPassage(
        "q",
        name,
        text,
        gradings=(Grading(RATES, "question", rated), Grading(ANSWERS, "question", told)),
        direct=(DirectGrade(DIRECT, 1),),
        judgments=(OfficialJudgment(2),),
    )


QUERIES = [
    GradedQuery("q", (passage("p1", 0, 4), passage("p2", 5, Unjudged(reason="no reply")))),
    GradedQuery("empty", ()),
]


def test_a_grid_has_grades_with_the_answers_of_whoever_answered():
    (grid,) = verification(QUERIES, 5, "rates", {"q": "why"}, {"q/1": "B?", "q/0": "A?"}).grids
    assert (grid.query, grid.items, grid.item_ids) == ("why", ("B?", "A?"), ("q/1", "q/0"))
    first, second = grid.rows
    assert first.cells == (Cell(4, "said of 1"), Cell(0, "said of 0"))
    assert second.cells == (Cell(None, "no reply"), Cell(5, "said of 0"))
    assert [(row.best, row.judged) for row in grid.rows] == [(4, 2), (5, 2)]


def test_the_best_graded_come_first_where_few_are_wanted():
    (grid,) = verification(QUERIES, 5, "rates", limit=1).grids
    assert [row.passage_id for row in grid.rows] == ["p2"]


def test_there_is_no_page_of_grades_that_are_not_there():
    with pytest.raises(InputError, match="graded no passage by items"):
        verification(QUERIES, 5, "direct")
    with pytest.raises(InputError, match="no rating"):
        verification([], 5)


def test_the_same_values_give_the_same_page_and_nothing_slips_through():
    hostile = "</script><script>window.ran = 1</script>\" onfocus='x' \u202e"
    query = GradedQuery(hostile, (passage(hostile, 3, text=hostile),))
    page = verification([query], 5, "rates", {hostile: hostile}, {"q/0": hostile})
    html = render_verification(page, "graded.jsonl", "0" * 64)
    assert html == render_verification(page, "graded.jsonl", "0" * 64)
    assert html.count("<script>") == 1
    assert "<script>window.ran" not in html
    assert "\u202e" not in html
