from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.metrics.rubric import question_coverage
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import GOOD, HAVE, NICE, labelled_pairs, rubric

SCALE = load_track().scales["similarity"]

VERY_SIMILAR, SIMILAR = "very-similar", "similar"
DIFFERENT, VERY_DIFFERENT = "different", "very-different"


def test_best_match_counts_once_for_each_rubric_question() -> None:
    labels = {
        (1, 3): SIMILAR,
        (1, 7): VERY_SIMILAR,
        (2, 7): SIMILAR,
        (3, 1): DIFFERENT,
        (3, 2): VERY_DIFFERENT,
    }
    # W = 4 + 2 + 1 = 7; best: 1, 0.5, 0; S = (4 * 1 + 2 * 0.5 + 1 * 0) / 7 = 5 / 7
    assert question_coverage(rubric("t", (HAVE, 1), (GOOD, 1), (NICE, 1)), labels, SCALE) == 5 / 7


def test_unjudged_and_absent_pairs_earn_nothing() -> None:
    item = rubric("t", (HAVE, 1), (NICE, 1))
    # W = 5; only the first question is met: 4 / 5
    labels = {(1, 1): VERY_SIMILAR, (2, 1): Unjudged(reason="no reply")}
    assert question_coverage(item, labels, SCALE) == 0.8
    assert question_coverage(item, {}, SCALE) == 0


@given(labelled_pairs(), st.randoms(use_true_random=False))
def test_bounded_and_free_of_order(case, random) -> None:
    item, labels = case
    score = question_coverage(item, labels, SCALE)
    assert 0 <= score <= 1
    shuffled = list(labels.items())
    random.shuffle(shuffled)
    questions = list(item.questions)
    random.shuffle(questions)
    reordered = item.model_copy(update={"questions": tuple(questions)})
    assert question_coverage(reordered, dict(shuffled), SCALE) == score
    ranks = {1: 3, 2: 1, 3: 2}  # the rank of a submitted question plays no part
    moved = {(question, ranks[rank]): label for (question, rank), label in labels.items()}
    assert question_coverage(item, moved, SCALE) == score


@given(labelled_pairs(), st.data())
def test_rises_with_a_label_and_never_by_omission(case, data) -> None:
    item, labels = case
    if not labels:
        return
    score = question_coverage(item, labels, SCALE)
    changed = data.draw(st.sampled_from(sorted(labels)))
    for label in SCALE.names:
        other = question_coverage(item, labels | {changed: label}, SCALE)
        if SCALE.credit(label) >= SCALE.credit(labels[changed]):
            assert other >= score
        else:
            assert other <= score
    without = {key: label for key, label in labels.items() if key != changed}
    assert question_coverage(item, without, SCALE) <= score
    assert question_coverage(item, labels | {changed: Unjudged(reason="?")}, SCALE) <= score


def test_every_label_has_a_gain() -> None:
    assert {label: SCALE.credit(label) for label in SCALE.names} == {
        VERY_SIMILAR: 1,
        SIMILAR: 0.5,
        DIFFERENT: 0,
        VERY_DIFFERENT: 0,
    }


def test_full_coverage_is_exactly_one() -> None:
    item = rubric("t", (GOOD, 1), (GOOD, 2), (NICE, 3))
    labels = {(rank, 1): VERY_SIMILAR for rank in (1, 2, 3)}
    assert question_coverage(item, labels, SCALE) == pytest.approx(1, abs=0)
