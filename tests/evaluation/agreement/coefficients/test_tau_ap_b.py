from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sidelight.evaluation.agreement.coefficients import resampled_tau_ap_b, tau_ap, tau_ap_b
from tests.helpers.labels.score_vectors import sampled, vectors


def test_a_judge_that_only_knows_the_best_of_26_knows_little() -> None:
    people = np.arange(26.0)
    judge = np.zeros(26)
    judge[25] = 1
    assert tau_ap(people, judge) == 1
    # Judge's order: the 25 others have the best above them, rightly: 1. People's order: of the i
    # runs above rank i + 1, the best alone is above it for the judge: 2 / 25 * H(25) - 1.
    harmonic = sum(1 / place for place in range(1, 26))
    assert tau_ap_b(people, judge) == pytest.approx((1 + 2 / 25 * harmonic - 1) / 2)
    assert tau_ap_b(people, judge) < 0.16


@pytest.mark.parametrize(
    ("first", "second", "published"),
    [  # figures of the tests of the R package ircor, by the coefficient's authors
        (
            [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
            [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
            0.7321,
        ),
        (
            [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
            [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
            0.297,
        ),
        (
            [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
            [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
            -0.7047,
        ),
    ],
)
def test_published_figures(first, second, published) -> None:
    assert tau_ap_b(np.array(first), np.array(second)) == pytest.approx(published, abs=5e-5)
    assert tau_ap_b(np.array(second), np.array(first)) == pytest.approx(published, abs=5e-5)


def test_equal_scores_agree_with_ties_too() -> None:
    assert tau_ap_b(np.array([3.0, 2, 2, 1]), np.array([3.0, 2, 2, 1])) == 1


def test_undefined_when_a_side_is_constant() -> None:
    assert tau_ap_b(np.array([1.0, 1, 1]), np.array([3.0, 2, 1])) is None


@given(vectors)
def test_bounded_and_symmetric(case) -> None:
    first, second = case
    value = tau_ap_b(first, second)
    assert value is None or -1 <= value <= 1
    assert value == tau_ap_b(second, first)


@given(vectors)
def test_of_samples_as_of_the_items_they_hold(case) -> None:
    first, second = case
    counts, expected = sampled(first, second, tau_ap_b)
    assert resampled_tau_ap_b(first, second, counts) == pytest.approx(expected, nan_ok=True)
