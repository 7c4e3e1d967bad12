"""Kendall's tau-b: how alike two sets of scores order the same items.

tau_b = (C - D) / sqrt((C + D + T_x) * (C + D + T_y)).

C, D: pairs of items that the two sides order alike and differently; T_x, T_y: pairs tied on the
first side only, and on the second side only. Source: Kendall, Biometrika 33 (1945). Edge case:
undefined when either side is constant, as it is for a single item.
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


def kendall(first: Scores, second: Scores) -> float | None:
    """Return tau-b, in [-1, 1], symmetric; None when a side is constant."""
    return once_each(resampled_kendall, first, second)


def resampled_kendall(first: Scores, second: Scores, counts: Counts) -> Correlations:
    """Return tau-b of every sample of the items."""
    one, other = pair_signs(first), pair_signs(second)
    agreement, untied, other_untied = (
        # Over all pairs of the items that a sample holds; each pair twice, which cancels out.
        np.sum((counts @ signs) * counts, axis=1)
        for signs in (one * other, one**2, other**2)
    )
    with np.errstate(invalid="ignore"):
        taus: Correlations = agreement / np.sqrt(untied * other_untied)
    return taus
