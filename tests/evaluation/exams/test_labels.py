"""Labels from grades, worked out by hand, and what must hold of any."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.exams.grades import (
    WHOLE,
    collect,
    exam_qrels,
    read_labels,
    relevance_label,
    write_qrels,
)
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.schemas.grading.graded_passage import DirectGrade, GradedPassage, GradedQuery, Grader
from tests.helpers.graded import example, passage

RATINGS = st.lists(st.integers(0, 5), max_size=12)


@pytest.mark.parametrize(
    ("ratings", "at_least", "label"),
    [
        ([0, 4, 5, 4, 1], 1, 5),
        ([0, 4, 5, 4, 1], 2, 4),
        ([0, 4, 5, 4, 1], 3, 4),
        ([0, 4, 5, 4, 1], 4, 1),
        ([0, 4, 5, 4, 1], 6, 0),
        ([], 1, 0),
    ],
)
def test_a_label_is_the_mth_largest_grade(ratings: list[int], at_least: int, label: int) -> None:
    assert relevance_label(ratings, at_least) == label


@given(ratings=RATINGS.filter(bool))
def test_with_one_item_the_label_is_the_best_grade(ratings: list[int]) -> None:
    assert relevance_label(ratings) == max(ratings)


@given(ratings=RATINGS, at_least=st.integers(1, 12), more=st.integers(0, 5))
def test_labels_fall_with_the_items_asked_for_and_rise_with_what_is_graded(
    ratings: list[int], at_least: int, more: int
) -> None:
    label = relevance_label(ratings, at_least)
    assert relevance_label(ratings, at_least + 1) <= label
    assert relevance_label([*ratings, more], at_least) >= label
    assert label == 0 or sum(rating >= label for rating in ratings) >= at_least


def test_cells_that_were_not_judged_are_counted_and_left_out() -> None:
    exam = collect(example()).exam()
    assert exam.unjudged == 1
    assert exam.items("q") == {"q/1", "q/2", "q/3"}
    assert exam_qrels(exam) == {"q": {"a": 5, "b": 4, "c": 1, "m": 4}, "r": {"d": 3, "e": 5}}
    assert exam_qrels(exam, 2)["q"] == {"a": 2, "b": 4, "c": 0, "m": 4}


def test_a_passage_without_any_grade_has_no_label() -> None:
    query = GradedQuery(
        "q", (passage("a", {"q/1": 2}), passage("b", {"q/1": None}), passage("c", {}))
    )
    exam = collect([query]).exam()
    assert exam_qrels(exam) == {"q": {"a": 2}}
    assert exam.unjudged == 1


def test_graders_are_kept_apart_and_found_by_name() -> None:
    whole = GradedPassage("q", "a", "", direct=(DirectGrade(Grader("Sun", "tiny"), 1),))
    one = passage("b", {"q/1": 3})
    other = passage("c", {"q/1": 2}, grader=Grader("Asks", "big"))
    found = collect([GradedQuery("q", (whole, one, other))])
    assert found.exam("Sun").cells == {"q": {"a": {WHOLE: 1}}}
    assert found.exam("Asks@big").cells == {"q": {"c": {"q/1": 2}}}
    with pytest.raises(UsageError, match="2 graders fit: Asks@tiny, Asks@big"):
        found.exam("Asks")
    with pytest.raises(UsageError, match="3 graders fit"):
        found.exam()
    with pytest.raises(UsageError, match="did you mean"):
        found.exam("Sum@tiny")
    with pytest.raises(InputError, match="no rating"):
        collect([]).exam()


def test_labels_are_written_and_read_back(tmp_path: Path) -> None:
    qrels = exam_qrels(collect(example()).exam())
    assert write_qrels(tmp_path / "x.qrels", qrels) == 6
    assert read_qrels(tmp_path / "x.qrels") == qrels == read_labels(tmp_path / "x.qrels")
    write_graded(tmp_path / "graded.jsonl", example())
    assert read_labels(tmp_path / "graded.jsonl") == qrels
    with pytest.raises(InputError, match="white space"):
        write_qrels(tmp_path / "y.qrels", {"q": {"a b": 1}})
