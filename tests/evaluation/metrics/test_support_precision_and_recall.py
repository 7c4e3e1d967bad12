from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.evaluation.metrics.citations import support_precision, support_recall
from sidelight.schemas.grading.judgment import Unjudged

FULL, PARTIAL, NONE = SUPPORT_SCALE.names
UNJUDGED = Unjudged(reason="no reply")
REPORTS = st.lists(st.sampled_from([FULL, PARTIAL, NONE, UNJUDGED, None]), max_size=12)


def test_the_example_of_the_track() -> None:
    # The first sentence is partially supported, the second fully, the third cites nothing.
    sentences = [PARTIAL, FULL, None]
    assert support_precision(sentences, SUPPORT_SCALE) == 0.75  # (0.5 + 1) / 2
    assert support_recall(sentences, SUPPORT_SCALE) == 0.5  # (0.5 + 1) / 3


def test_without_citations_there_is_no_support() -> None:
    for sentences in ([], [None, None]):
        assert support_precision(sentences, SUPPORT_SCALE) == 0
        assert support_recall(sentences, SUPPORT_SCALE) == 0


def test_what_could_not_be_judged_stays_in_the_denominator() -> None:
    # 1 / 2 and 1 / 3
    assert support_precision([FULL, UNJUDGED, None], SUPPORT_SCALE) == 0.5
    assert support_recall([FULL, UNJUDGED, None], SUPPORT_SCALE) == pytest.approx(1 / 3)


@given(REPORTS)
def test_recall_is_at_most_precision(sentences) -> None:
    assert (
        0
        <= support_recall(sentences, SUPPORT_SCALE)
        <= support_precision(sentences, SUPPORT_SCALE)
        <= 1
    )


@given(REPORTS)
def test_they_are_equal_only_if_all_is_cited_or_nothing_supported(sentences) -> None:
    equal = support_recall(sentences, SUPPORT_SCALE) == support_precision(sentences, SUPPORT_SCALE)
    supported = {FULL, PARTIAL} & {item for item in sentences if isinstance(item, str)}
    assert equal == (None not in sentences or not supported)


@given(REPORTS, st.data())
def test_a_better_label_raises_both(sentences, data) -> None:
    cited = [place for place, item in enumerate(sentences) if item in (NONE, PARTIAL)]
    if not cited:
        return
    place = data.draw(st.sampled_from(cited))
    better = [*sentences]
    better[place] = FULL
    assert support_precision(better, SUPPORT_SCALE) > support_precision(sentences, SUPPORT_SCALE)
    assert support_recall(better, SUPPORT_SCALE) > support_recall(sentences, SUPPORT_SCALE)


@given(REPORTS)
def test_an_uncited_sentence_costs_recall_alone(sentences) -> None:
    assert support_precision([*sentences, None], SUPPORT_SCALE) == support_precision(
        sentences, SUPPORT_SCALE
    )
    assert support_recall([*sentences, None], SUPPORT_SCALE) <= support_recall(
        sentences, SUPPORT_SCALE
    )
