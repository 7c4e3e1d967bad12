from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.relevance import HIGHEST, final_score, grade_of


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("##final score: 4", 4),
        ("##final score: 3 / on a scale from 0 to 2", 3),
        ("On the scale 0 to 4 ... ##final score: 1. No: ##final score: 2", 2),
        ("**##Final Score: 0**", 0),
        ("##final score: 3 (not category 0)", 3),
        ("##final score - 2\n", 2),
    ],
)
def test_the_last_marker_counts(reply: str, grade: int) -> None:
    assert final_score(reply) == grade


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "the score is 3",
        "##final score: 5",
        "##final score: 2.5",
        "##final score: 3/4",
        "##final score: -1",
        "##final score: 42",
        "##final score: 2, or rather ##final score: none",
        "##final score: " + "-" * 100_000 + "3",
    ],
)
def test_what_is_no_grade_is_refused(reply: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        final_score(reply)


@pytest.mark.parametrize(
    ("covered", "beside", "grade"),
    [
        (0, "none", 1),
        (1, "none", 2),
        (2, "none", 3),
        (3, "some", 2),
        (4, "none", 4),
        (9, "much", 2),
    ],
)
def test_the_count_gives_the_grade(covered, beside, grade) -> None:
    assert grade_of(covered, beside) == grade


def test_what_is_not_related_has_no_grade() -> None:
    assert grade_of(0, "none", related=False) == 0
    assert grade_of(0, "much") == 0


@given(st.text(max_size=50), st.integers(0, HIGHEST))
def test_whatever_comes_before_changes_nothing(text: str, grade: int) -> None:
    assert final_score(f"{text} ##final score: {grade}") == grade
