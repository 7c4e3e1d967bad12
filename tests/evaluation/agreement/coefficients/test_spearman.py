from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sidelight.evaluation.agreement.coefficients import resampled_spearman, spearman
from tests.helpers.labels.score_vectors import sampled, vectors


def test_by_hand() -> None:
    # without ties 1 - 6 * sum of d^2 / (n * (n^2 - 1)) = 1 - 6 * (1 + 1) / (4 * 15)
    assert spearman(np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 2, 1])) == pytest.approx(0.8)


def test_undefined_when_a_side_is_constant() -> None:
    assert spearman(np.array([1.0, 1, 1]), np.array([3.0, 2, 1])) is None
    assert spearman(np.array([3.0, 2, 1]), np.array([1.0, 1, 1])) is None


@given(vectors)
def test_as_the_correlation_of_mean_ranks(case) -> None:
    first, second = case
    rho = spearman(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert rho is None
        return
    ranks = [
        [np.sum(side < score) + (np.sum(side == score) + 1) / 2 for score in side]
        for side in (first, second)
    ]
    assert rho == pytest.approx(np.corrcoef(ranks)[0, 1])


@given(vectors)
def test_of_samples_as_of_the_items_they_hold(case) -> None:
    first, second = case
    counts, expected = sampled(first, second, spearman)
    assert resampled_spearman(first, second, counts) == pytest.approx(expected, nan_ok=True)
