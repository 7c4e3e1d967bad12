"""Kendall's tau-b: how alike two sets of scores order the same items.

tau_b = (C - D) / sqrt((C + D + T_x) * (C + D + T_y)).

C, D: pairs of items that the two sides order alike and differently; T_x, T_y: pairs tied on the
first side only, and on the second side only. Source: Kendall, Biometrika 33 (1945); scipy computes
it. Edge case: undefined (None) when either side is constant, as it is for a single item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.metrics.score_vector import orders_nothing

if TYPE_CHECKING:
    from sidelight.evaluation.metrics.score_vector import Scores


def kendall(first: Scores, second: Scores) -> float | None:
    """Return tau-b, in [-1, 1], symmetric; None when a side is constant."""
    from scipy.stats import kendalltau

    if orders_nothing(first) or orders_nothing(second):
        return None
    # The exact p-value is not used, and takes far longer than tau.
    return float(kendalltau(first, second, variant="b", method="asymptotic").statistic)
