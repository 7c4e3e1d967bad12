"""Measures of questions and reports against rubrics, by hand and in general."""

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
    question_coverage,
    report_contradiction,
    report_support,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track, scale_named
from tests.helpers.labels.toy import GOOD, HAVE, NICE, labelled_answers, labelled_pairs, rubric

SCALE = load_track().scales["similarity"]

VERY_SIMILAR, SIMILAR = "very-similar", "similar"
DIFFERENT, VERY_DIFFERENT = "different", "very-different"


def test_best_match_counts_once_for_each_rubric_question():
    labels = {
        (1, 3): SIMILAR,
        (1, 7): VERY_SIMILAR,
        (2, 7): SIMILAR,
        (3, 1): DIFFERENT,
        (3, 2): VERY_DIFFERENT,
    }
    # W = 4 + 2 + 1 = 7; best: 1, 0.5, 0; S = (4 * 1 + 2 * 0.5 + 1 * 0) / 7 = 5 / 7
    assert question_coverage(rubric("t", (HAVE, 1), (GOOD, 1), (NICE, 1)), labels, SCALE) == 5 / 7


def test_unjudged_and_absent_pairs_earn_nothing():
    item = rubric("t", (HAVE, 1), (NICE, 1))
    # W = 5; only the first question is met: 4 / 5
    labels = {(1, 1): VERY_SIMILAR, (2, 1): Unjudged(reason="no reply")}
    assert question_coverage(item, labels, SCALE) == 0.8
    assert question_coverage(item, {}, SCALE) == 0


@given(labelled_pairs(), st.randoms(use_true_random=False))
def test_bounded_and_free_of_order(case, random):
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
def test_rises_with_a_label_and_never_by_omission(case, data):
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


def test_every_label_has_a_gain():
    assert {label: SCALE.credit(label) for label in SCALE.names} == {
        VERY_SIMILAR: 1,
        SIMILAR: 0.5,
        DIFFERENT: 0,
        VERY_DIFFERENT: 0,
    }


def test_full_coverage_is_exactly_one():
    item = rubric("t", (GOOD, 1), (GOOD, 2), (NICE, 3))
    labels = {(rank, 1): VERY_SIMILAR for rank in (1, 2, 3)}
    assert question_coverage(item, labels, SCALE) == pytest.approx(1, abs=0)


ANSWERS = load_track().scales["answers"]

SUPPORTS, PARTIAL = "supports", "partial"
CONTRADICTS, NONE = "contradicts", "none"


def test_answers_are_averaged_within_their_question():
    item = rubric("t", (HAVE, 2), (NICE, 1))
    # W = 4 + 1; S = (4 / 2 * (1 + 0) + 1 / 1 * 1) / 5 = 3 / 5
    assert report_support(item, {"na-1": SUPPORTS, "na-2": NONE, "na-3": SUPPORTS}, ANSWERS) == 0.6


def test_partial_is_half_and_contradiction_nothing():
    item = rubric("t", (GOOD, 3), (NICE, 1))
    labels = {"na-1": PARTIAL, "na-2": SUPPORTS, "na-3": CONTRADICTS, "na-4": PARTIAL}
    # W = 3; S = (2 / 3 * 1.5 + 1 * 0.5) / 3 = 1.5 / 3
    assert report_support(item, labels, ANSWERS) == 0.5


def test_the_denominator_is_the_rubrics():
    item = rubric("t", (HAVE, 2), (NICE, 1))
    # na-2 was left out or could not be judged: still 1 of 2 answers, (4 / 2 + 1) / 5
    assert report_support(item, {"na-1": SUPPORTS, "na-3": SUPPORTS}, ANSWERS) == 0.6
    unjudged = {"na-1": SUPPORTS, "na-2": Unjudged(reason="no reply"), "na-3": SUPPORTS}
    assert report_support(item, unjudged, ANSWERS) == 0.6


@given(labelled_answers(), st.randoms(use_true_random=False))
def test_support_is_bounded_and_free_of_order(case, random):
    item, labels = case
    score = report_support(item, labels, ANSWERS)
    assert 0 <= score <= 1
    questions = list(item.questions)
    random.shuffle(questions)
    reordered = item.model_copy(update={"questions": tuple(questions)})
    assert report_support(reordered, dict(reversed(labels.items())), ANSWERS) == score


@given(labelled_answers(), st.data())
def test_support_rises_with_a_label_and_never_by_omission(case, data):
    item, labels = case
    if not labels:
        return
    score = report_support(item, labels, ANSWERS)
    changed = data.draw(st.sampled_from(sorted(labels)))
    for label in ANSWERS.names:
        other = report_support(item, labels | {changed: label}, ANSWERS)
        rises = ANSWERS.credit(label) - ANSWERS.credit(labels[changed])
        assert (other > score) == (rises > 0)
        assert (other < score) == (rises < 0)
    without = {key: label for key, label in labels.items() if key != changed}
    assert report_support(item, without, ANSWERS) <= score


def test_only_contradictions_count():
    item = rubric("t", (HAVE, 2), (NICE, 1))
    labels = {"na-1": "contradicts", "na-2": "supports", "na-3": "partial"}
    # W = 5; S = (4 / 2 * 1 + 1 * 0) / 5 = 2 / 5
    assert report_contradiction(item, labels, ANSWERS) == 0.4
    assert report_contradiction(item, {"na-1": Unjudged(reason="no reply")}, ANSWERS) == 0


@given(labelled_answers())
def test_support_and_contradiction_share_one_whole(case):
    item, labels = case
    contradiction = report_contradiction(item, labels, ANSWERS)
    assert 0 <= contradiction <= 1
    # Rounding aside, no answer is both supported and contradicted.
    assert contradiction + report_support(item, labels, ANSWERS) <= 1 + 1e-12


# Grades of questions by hand, and what holds for any grades.
SCALES = load_track("lateral2024").scales
LABELS = scale_named("question_quality").names
LISTS = st.lists(st.sampled_from(LABELS), min_size=10, max_size=10)


def ranked(labels: list[str]) -> dict[int, str | Unjudged]:
    return dict(enumerate(labels, start=1))


def test_grades_by_hand():
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


def test_what_nobody_judged_earns_nothing_and_is_counted():
    grades: dict[int, str | Unjudged] = {1: Unjudged(reason="no"), 2: "4"}
    assert QuestionDcg(10)(grades, SCALES) == pytest.approx(4 / log2(3))
    assert UnjudgedQuestions(10)(grades) == pytest.approx(0.9)


@given(LISTS)
def test_flawed_is_worth_what_not_helpful_is(labels):
    same = ["0" if label == "-1" else label for label in labels]
    for measure in (QuestionDcg(10), QuestionNdcg(10), QuestionAverage(10)):
        assert measure(ranked(labels), SCALES) == measure(ranked(same), SCALES)
    assert 0 <= QuestionNdcg(10)(ranked(labels), SCALES) <= 1


@given(LISTS, st.integers(1, 9))
def test_a_better_question_earlier_never_costs(labels, place):
    ordered = labels.copy()
    if LABELS.index(ordered[place]) < LABELS.index(ordered[place - 1]):
        ordered[place - 1], ordered[place] = ordered[place], ordered[place - 1]
    dcg = QuestionDcg(10)
    assert dcg(ranked(ordered), SCALES) >= dcg(ranked(labels), SCALES) - 1e-12
