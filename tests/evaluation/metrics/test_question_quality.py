"""Grades of questions by hand, and what holds for any grades."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.metrics.base import UnjudgedQuestions
from sidelight.evaluation.metrics.rubric import (
    QuestionAverage,
    QuestionDcg,
    QuestionNdcg,
    RedundantQuestions,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track, scale_named

SCALES = load_track("lateral2024").scales
LABELS = scale_named("question_quality").names
LISTS = st.lists(st.sampled_from(LABELS), min_size=10, max_size=10)


def ranked(labels: list[str]) -> dict[int, str | Unjudged]:
    return dict(enumerate(labels, start=1))


def test_by_hand() -> None:
    grades = ranked(["4", "-1", "2"])
    # 4 / log2(2) + 0 / log2(3) + 2 / log2(4) = 4 + 0 + 1
    assert QuestionDcg(10)(grades, SCALES) == pytest.approx(5.0)
    # (4 + 0 + 2) / 10: the flawed question counts as 0, and so do the seven that are not there
    assert QuestionAverage(10)(grades, SCALES) == pytest.approx(0.6)
    ideal = sum(4 / log2(rank + 1) for rank in range(1, 11))
    assert ideal == pytest.approx(18.1742, abs=5e-5)
    assert QuestionNdcg(10)(grades, SCALES) == pytest.approx(5 / ideal)
    assert UnjudgedQuestions(10)(grades) == pytest.approx(0.7)
    assert RedundantQuestions(10)({1: False, 2: True, 11: True}) == pytest.approx(0.1)


def test_what_nobody_judged_earns_nothing_and_is_counted() -> None:
    grades: dict[int, str | Unjudged] = {1: Unjudged(reason="no"), 2: "4"}
    assert QuestionDcg(10)(grades, SCALES) == pytest.approx(4 / log2(3))
    assert UnjudgedQuestions(10)(grades) == pytest.approx(0.9)


@given(LISTS)
def test_flawed_is_worth_what_not_helpful_is(labels: list[str]) -> None:
    same = ["0" if label == "-1" else label for label in labels]
    for measure in (QuestionDcg(10), QuestionNdcg(10), QuestionAverage(10)):
        assert measure(ranked(labels), SCALES) == measure(ranked(same), SCALES)
    assert 0 <= QuestionNdcg(10)(ranked(labels), SCALES) <= 1


@given(LISTS, st.integers(1, 9))
def test_a_better_question_earlier_never_costs(labels: list[str], place: int) -> None:
    ordered = labels.copy()
    if LABELS.index(ordered[place]) < LABELS.index(ordered[place - 1]):
        ordered[place - 1], ordered[place] = ordered[place], ordered[place - 1]
    dcg = QuestionDcg(10)
    assert dcg(ranked(ordered), SCALES) >= dcg(ranked(labels), SCALES) - 1e-12
