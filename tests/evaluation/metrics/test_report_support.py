from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.metrics.rubric import report_support
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import GOOD, HAVE, NICE, labelled_answers, rubric

SCALE = load_track().scales["answers"]

SUPPORTS, PARTIAL = "supports", "partial"
CONTRADICTS, NONE = "contradicts", "none"


def test_answers_are_averaged_within_their_question() -> None:
    item = rubric("t", (HAVE, 2), (NICE, 1))
    # W = 4 + 1; S = (4 / 2 * (1 + 0) + 1 / 1 * 1) / 5 = 3 / 5
    assert report_support(item, {"na-1": SUPPORTS, "na-2": NONE, "na-3": SUPPORTS}, SCALE) == 0.6


def test_partial_is_half_and_contradiction_nothing() -> None:
    item = rubric("t", (GOOD, 3), (NICE, 1))
    labels = {"na-1": PARTIAL, "na-2": SUPPORTS, "na-3": CONTRADICTS, "na-4": PARTIAL}
    # W = 3; S = (2 / 3 * 1.5 + 1 * 0.5) / 3 = 1.5 / 3
    assert report_support(item, labels, SCALE) == 0.5


def test_the_denominator_is_the_rubrics() -> None:
    item = rubric("t", (HAVE, 2), (NICE, 1))
    # na-2 was left out or could not be judged: still 1 of 2 answers, (4 / 2 + 1) / 5
    assert report_support(item, {"na-1": SUPPORTS, "na-3": SUPPORTS}, SCALE) == 0.6
    unjudged = {"na-1": SUPPORTS, "na-2": Unjudged(reason="no reply"), "na-3": SUPPORTS}
    assert report_support(item, unjudged, SCALE) == 0.6


@given(labelled_answers(), st.randoms(use_true_random=False))
def test_bounded_and_free_of_order(case, random) -> None:
    item, labels = case
    score = report_support(item, labels, SCALE)
    assert 0 <= score <= 1
    questions = list(item.questions)
    random.shuffle(questions)
    reordered = item.model_copy(update={"questions": tuple(questions)})
    assert report_support(reordered, dict(reversed(labels.items())), SCALE) == score


@given(labelled_answers(), st.data())
def test_rises_with_a_label_and_never_by_omission(case, data) -> None:
    item, labels = case
    if not labels:
        return
    score = report_support(item, labels, SCALE)
    changed = data.draw(st.sampled_from(sorted(labels)))
    for label in SCALE.names:
        other = report_support(item, labels | {changed: label}, SCALE)
        rises = SCALE.credit(label) - SCALE.credit(labels[changed])
        assert (other > score) == (rises > 0)
        assert (other < score) == (rises < 0)
    without = {key: label for key, label in labels.items() if key != changed}
    assert report_support(item, without, SCALE) <= score
