"""Spearman's rho: the linear correlation of two sets of ranks.

rho = cov(R_x, R_y) / (sd(R_x) * sd(R_y)).

R_x, R_y: the ranks of the items on either side; tied items share the mean of their ranks. Less
the mean of all ranks, a rank is half of: items above it minus items below it. Source: Spearman,
American Journal of Psychology 15 (1904). Edge case: undefined when either side is constant, as it
is for a single item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients.score_vector import once_each, pair_signs

if TYPE_CHECKING:
    from sidelight.evaluation.agreement.coefficients.score_vector import (
        Correlations,
        Counts,
        Scores,
    )


def spearman(first: Scores, second: Scores) -> float | None:
    """Return rho, in [-1, 1], symmetric; None when a side is constant."""
    return once_each(resampled_spearman, first, second)


def resampled_spearman(first: Scores, second: Scores, counts: Counts) -> Correlations:
    """Return rho of every sample of the items."""
    one, other = counts @ pair_signs(first), counts @ pair_signs(second)
    covariance, variance, other_variance = (
        np.sum(counts * products, axis=1) for products in (one * other, one**2, other**2)
    )
    with np.errstate(invalid="ignore"):
        rhos: Correlations = covariance / np.sqrt(variance * other_variance)
    return rhos
