from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.agreement.coefficients import kendall, resampled_tau_ap, tau_ap
from tests.helpers.labels.score_vectors import sampled, vectors

REFERENCE = np.array([4.0, 3, 2, 1])
TOP_SWAPPED, BOTTOM_SWAPPED = np.array([3.0, 4, 2, 1]), np.array([4.0, 3, 1, 2])


def test_a_swap_at_the_top_costs_more() -> None:
    # ranks 2, 3, 4 hold 0 of 1, 2 of 2, 3 of 3 items rightly above: 2 / 3 * (0 + 1 + 1) - 1
    assert tau_ap(REFERENCE, TOP_SWAPPED) == pytest.approx(1 / 3)
    # 1 of 1, 2 of 2, 2 of 3: 2 / 3 * (1 + 1 + 2 / 3) - 1
    assert tau_ap(REFERENCE, BOTTOM_SWAPPED) == pytest.approx(7 / 9)
    assert kendall(REFERENCE, TOP_SWAPPED) == kendall(REFERENCE, BOTTOM_SWAPPED)


def test_it_matters_which_side_is_the_reference() -> None:
    scores = np.array([2.0, 1, 4, 3])
    # tested order c, d, a, b. d: c rightly above, +1; a: c and d wrongly, -1; b: c and d wrongly,
    # a rightly, (-1 - 1 + 1) / 3: (1 - 1 - 1 / 3) / 3
    assert tau_ap(REFERENCE, scores) == pytest.approx(-1 / 9)
    other = np.array([1.0, 4, 3, 2])
    # tested order b, c, d, a. c: +1; d: +1; a: -1: 1 / 3
    assert tau_ap(REFERENCE, other) == pytest.approx(1 / 3)
    # and the other way, order a, b, c, d. b: -1; c: (-1 + 1) / 2; d: (-1 + 1 + 1) / 3: -2 / 9
    assert tau_ap(other, REFERENCE) == pytest.approx(-2 / 9)


def test_items_tied_under_test_are_not_compared_with_each_other() -> None:
    # c and d have a and b above them, rightly: (2 / 2 + 2 / 2) / 2
    assert tau_ap(REFERENCE, np.array([2.0, 2, 1, 1])) == 1


def test_a_tie_in_the_reference_counts_half() -> None:
    # b: a above it may be right or wrong, 0; c: a and b rightly above it, 1: (0 + 1) / 2
    assert tau_ap(np.array([2.0, 2, 1]), np.array([3.0, 2, 1])) == 0.5


def test_undefined_when_a_side_is_constant() -> None:
    assert tau_ap(np.array([1.0, 1, 1]), np.array([3.0, 2, 1])) is None
    assert tau_ap(np.array([3.0, 2, 1]), np.array([1.0, 1, 1])) is None


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_the_published_formula_where_nothing_is_tied(reference, scores) -> None:
    order = sorted(range(6), key=lambda item: -scores[item])
    total = sum(
        sum(reference[above] > reference[item] for above in order[:rank]) / rank
        for rank, item in enumerate(order)
        if rank
    )
    expected = 2 / (6 - 1) * total - 1
    assert tau_ap(np.array(reference, float), np.array(scores, float)) == pytest.approx(expected)


@given(vectors)
def test_bounded_and_one_for_equal_scores(case) -> None:
    first, second = case
    tau = tau_ap(first, second)
    assert tau is None or -1 <= tau <= 1
    if len(set(first)) > 1:
        assert tau_ap(first, first) == 1
        assert tau_ap(first, -first) == -1


@given(vectors)
def test_of_samples_as_of_the_items_they_hold(case) -> None:
    first, second = case
    counts, expected = sampled(first, second, tau_ap)
    assert resampled_tau_ap(first, second, counts) == pytest.approx(expected, nan_ok=True)
