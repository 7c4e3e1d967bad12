"""Grades from the pool: what most passages are about is graded higher than what strays."""

from __future__ import annotations

from sidelight.evaluation.labelling.passage_grade import PoolGrades
from sidelight.text_vectors import Encode

ABOUT = [
    f"Peat bogs store carbon in wet ground, in layer {number} of dead moss and {word}."
    for number, word in enumerate("sedge heather cotton grass birch reed fern pine".split())
]
STRAYS = ["The library opens at nine.", "Cyclists raced through the town on Sunday evening."]


def test_what_strays_is_graded_no_higher(lexical_encode: Encode) -> None:
    grades = PoolGrades(lexical_encode).grade([*ABOUT, *STRAYS])
    assert len(grades) == len(ABOUT) + len(STRAYS)
    assert all(0 <= grade <= 3 for grade in grades)
    assert min(grades[: len(ABOUT)]) >= max(grades[len(ABOUT) :])
    assert max(grades) > 0


def test_small_pools_have_grades(lexical_encode: Encode) -> None:
    grader = PoolGrades(lexical_encode)
    assert grader.grade([]) == []
    assert len(grader.grade(["one passage"])) == 1
    assert len(grader.grade(["", " "])) == 2
