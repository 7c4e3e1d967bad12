"""Measures of nuggets and citations: the tracks' examples, and what holds of any answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.evaluation.metrics.citations import (
    NuggetRecall,
    SignedNuggetScore,
    SubNarrativeCoverage,
    support_precision,
    support_recall,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import Nugget, NuggetBank
from sidelight.tracks import load_track

FULL, PARTIAL, NONE = SUPPORT_SCALE.names
UNJUDGED = Unjudged(reason="no reply")
REPORTS = st.lists(st.sampled_from([FULL, PARTIAL, NONE, UNJUDGED, None]), max_size=12)


def test_the_example_of_the_track():
    # The first sentence is partially supported, the second fully, the third cites nothing.
    sentences = [PARTIAL, FULL, None]
    assert support_precision(sentences, SUPPORT_SCALE) == 0.75  # (0.5 + 1) / 2
    assert support_recall(sentences, SUPPORT_SCALE) == 0.5  # (0.5 + 1) / 3


def test_without_citations_there_is_no_support():
    for sentences in ([], [None, None]):
        assert support_precision(sentences, SUPPORT_SCALE) == 0
        assert support_recall(sentences, SUPPORT_SCALE) == 0


def test_what_could_not_be_judged_stays_in_the_denominator():
    # 1 / 2 and 1 / 3
    assert support_precision([FULL, UNJUDGED, None], SUPPORT_SCALE) == 0.5
    assert support_recall([FULL, UNJUDGED, None], SUPPORT_SCALE) == pytest.approx(1 / 3)


@given(REPORTS)
def test_recall_is_at_most_precision(sentences):
    assert (
        0
        <= support_recall(sentences, SUPPORT_SCALE)
        <= support_precision(sentences, SUPPORT_SCALE)
        <= 1
    )


@given(REPORTS)
def test_they_are_equal_only_if_all_is_cited_or_nothing_supported(sentences):
    equal = support_recall(sentences, SUPPORT_SCALE) == support_precision(sentences, SUPPORT_SCALE)
    supported = {FULL, PARTIAL} & {item for item in sentences if isinstance(item, str)}
    assert equal == (None not in sentences or not supported)


@given(REPORTS, st.data())
def test_a_better_label_raises_both(sentences, data):
    cited = [place for place, item in enumerate(sentences) if item in (NONE, PARTIAL)]
    if not cited:
        return
    place = data.draw(st.sampled_from(cited))
    better = [*sentences]
    better[place] = FULL
    assert support_precision(better, SUPPORT_SCALE) > support_precision(sentences, SUPPORT_SCALE)
    assert support_recall(better, SUPPORT_SCALE) > support_recall(sentences, SUPPORT_SCALE)


@given(REPORTS)
def test_an_uncited_sentence_costs_recall_alone(sentences):
    assert support_precision([*sentences, None], SUPPORT_SCALE) == support_precision(
        sentences, SUPPORT_SCALE
    )
    assert support_recall([*sentences, None], SUPPORT_SCALE) <= support_recall(
        sentences, SUPPORT_SCALE
    )


# The example of the RAG 2025 overview's table 3, and what holds of any answer.
SCALES = load_track("rag2025").scales
VITAL, OKAY = SCALES["nugget_importance"].labels
TOLD, PARTLY, UNTOLD = SCALES["nuggets"].names
# Importance, sub-narrative and label of the five nuggets of the example.
EXAMPLE = [
    (VITAL, "pay", TOLD),
    (VITAL, "culture", PARTLY),
    (VITAL, "business", PARTLY),
    (OKAY, "society", TOLD),
    (OKAY, "business", UNTOLD),
]
LABELS = st.sampled_from([TOLD, PARTLY, UNTOLD, UNJUDGED])
NUGGETS = st.lists(
    st.tuples(st.sampled_from([VITAL, OKAY]), st.sampled_from(["", "a", "b"]), LABELS), min_size=1
)
MEASURES = (
    NuggetRecall(),
    NuggetRecall(strict=False),
    NuggetRecall("all"),
    NuggetRecall("all", strict=False),
    SubNarrativeCoverage(),
)


def bank(nuggets: list[Any], weights: list[float] | None = None) -> NuggetBank:
    return NuggetBank(
        topic_id="14",
        nuggets=tuple(
            Nugget(
                text=f"fact {place}",
                importance=importance,
                sub_narrative=part,
                own_weight=weights[place] if weights else None,
            )
            for place, (importance, part, _) in enumerate(nuggets)
        ),
    )


def measured(measure: Any, nuggets: list[Any], weights: list[float] | None = None) -> Any:
    return measure(bank(nuggets, weights), [label for *_, label in nuggets], SCALES)


def test_the_nuggets_of_the_track():
    strict_vital, vital, strict_all, every, coverage = MEASURES
    assert measured(strict_vital, EXAMPLE) == pytest.approx(1 / 3)
    assert measured(vital, EXAMPLE) == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert measured(strict_all, EXAMPLE) == pytest.approx(2 / 5)
    assert measured(every, EXAMPLE) == pytest.approx(3 / 5)
    assert measured(coverage, EXAMPLE) == 2 / 4


def test_without_vital_nuggets_vital_recall_is_undefined():
    nuggets = [(OKAY, "", TOLD)]
    assert measured(NuggetRecall(), nuggets) is None
    assert measured(NuggetRecall("all"), nuggets) == 1
    assert measured(SubNarrativeCoverage(), nuggets) is None


def test_faults_cost_what_they_weigh():
    nuggets = [(VITAL, "", TOLD), (VITAL, "", PARTLY), (OKAY, "", TOLD)]
    score = SignedNuggetScore()
    assert measured(score, nuggets, [5, 3, -4]) == pytest.approx((5 + 1.5 - 4) / 8)
    assert measured(score, nuggets, [-0.1, -0.2, -0.3]) == pytest.approx(-0.5)
    # Without weights of their own nuggets weigh what their importance does.
    assert measured(score, nuggets) == pytest.approx((1 + 0.5 + 0.5) / 2.5)


@pytest.mark.parametrize("weights", [[-1, -1, -1], [1, -5, -5], [1e-300, -1e6, -1e6]])
def test_faults_cost_no_more_than_a_topic_can_earn(weights):
    nuggets = [(VITAL, "", UNTOLD), (VITAL, "", TOLD), (OKAY, "", TOLD)]
    assert measured(SignedNuggetScore(), nuggets, weights) == -1


@given(NUGGETS)
def test_values_are_shares_and_strict_is_never_more(nuggets):
    values = [measured(measure, nuggets) or 0.0 for measure in MEASURES]
    assert all(0 <= value <= 1 for value in values)
    assert values[0] <= values[1]
    assert values[2] <= values[3]


@given(NUGGETS, st.data())
def test_a_better_label_never_costs(nuggets, data):
    place = data.draw(st.integers(0, len(nuggets) - 1))
    better = [*nuggets]
    better[place] = (*nuggets[place][:2], TOLD)
    for measure in (*MEASURES, SignedNuggetScore()):
        before, after = measured(measure, nuggets), measured(measure, better)
        assert (before is None) == (after is None)
        assert (after or 0.0) >= (before or 0.0) - 1e-12


@given(NUGGETS)
def test_what_could_not_be_judged_counts_as_not_told(nuggets):
    other = [
        (importance, part, UNTOLD if label == UNJUDGED else label)
        for importance, part, label in nuggets
    ]
    for measure in MEASURES:
        assert measured(measure, nuggets) == measured(measure, other)
