"""Spearman's rho: the linear correlation of two sets of ranks.

rho = cov(R_x, R_y) / (sd(R_x) * sd(R_y)).

R_x, R_y: the ranks of the items on either side; tied items share the mean of their ranks. Source:
Spearman, American Journal of Psychology 15 (1904); scipy computes it. Edge case: undefined (None)
when either side is constant, as it is for a single item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.metrics.score_vector import orders_nothing

if TYPE_CHECKING:
    from sidelight.evaluation.metrics.score_vector import Scores


def spearman(first: Scores, second: Scores) -> float | None:
    """Return rho, in [-1, 1], symmetric; None when a side is constant."""
    from scipy.stats import spearmanr

    if orders_nothing(first) or orders_nothing(second):
        return None
    return float(spearmanr(first, second).statistic)
