from __future__ import annotations

from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import kendalltau

from sidelight.evaluation.agreement.coefficients import kendall, resampled_kendall
from tests.helpers.labels.score_vectors import sampled, vectors


def test_by_hand() -> None:
    # 6 pairs, one reversed: (5 - 1) / 6
    assert kendall(np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 2, 1])) == pytest.approx(4 / 6)


def test_ties_by_hand() -> None:
    # pairs ab, ac, bc: ab is tied on the first side, ac and bc are concordant
    # tau-b = 2 / sqrt((2 + 1) * 2)
    tau = kendall(np.array([2.0, 2, 1]), np.array([3.0, 2, 1]))
    assert tau == pytest.approx(2 / sqrt(6))


def test_undefined_when_a_side_is_constant() -> None:
    assert kendall(np.array([1.0, 1, 1]), np.array([3.0, 2, 1])) is None
    assert kendall(np.array([3.0, 2, 1]), np.array([1.0, 1, 1])) is None


@given(vectors)
def test_as_counting_pairs_has_it(case) -> None:
    first, second = case
    products, left, right = 0.0, 0.0, 0.0
    for i, j in combinations(range(len(first)), 2):
        one, other = np.sign(first[i] - first[j]), np.sign(second[i] - second[j])
        products, left, right = products + one * other, left + one**2, right + other**2
    tau = kendall(first, second)
    if left == 0 or right == 0:
        assert tau is None
    else:
        assert tau == pytest.approx(products / sqrt(left * right))


@given(vectors)
def test_of_samples_as_of_the_items_they_hold(case) -> None:
    first, second = case
    counts, expected = sampled(first, second, kendall)
    assert resampled_kendall(first, second, counts) == pytest.approx(expected, nan_ok=True)


@given(vectors)
def test_as_scipy_has_it(case) -> None:
    tau = kendall(*case)
    expected = kendalltau(*case, variant="b", method="asymptotic").statistic
    assert expected == pytest.approx(np.nan if tau is None else tau, nan_ok=True)
