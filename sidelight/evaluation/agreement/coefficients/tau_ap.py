"""AP correlation: like Kendall's tau, but a swap near the top costs more than one at the bottom.

tau_AP = 1 / |N| * sum over i in N of 1 / |A_i| * sum over j in A_i of sgn(r_j - r_i).

The items are ordered by the scores under test. A_i: the items that score strictly above item i
there; N: the items for which A_i is not empty; r: the reference score. Source: Yilmaz, Aslam and
Robertson, SIGIR 2008. Their formula, 2 / (n - 1) * sum over i > 1 of C(i) / (i - 1) - 1 with C(i)
the items above rank i that belong there, is the same where nothing is tied.

Edge cases. Ties under test: tied items are compared with those above their whole group and not
with each other, so that equal scores on both sides give 1 with ties, too. Ties in the reference:
the pair counts half, as if either order were right. A constant side: undefined.
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


def tau_ap(reference: Scores, scores: Scores) -> float | None:
    """Return tau_AP of `scores` against `reference`, in [-1, 1], not symmetric.

    Args:
        reference: `(n,)` the scores that say what the order should be.
        scores: `(n,)` the scores whose order is tested.

    Returns:
        None when a side is constant.
    """
    return once_each(resampled_tau_ap, reference, scores)


def resampled_tau_ap(reference: Scores, scores: Scores, counts: Counts) -> Correlations:
    """Return tau_AP of every sample of the items."""
    order = pair_signs(reference)
    above = pair_signs(scores) > 0  # the item of the row is above that of the column
    n_above = counts @ above
    means = (counts @ (above * order)) / np.maximum(n_above, 1)
    n_compared = np.where(n_above > 0, counts, 0)
    varied = np.any((counts @ np.abs(order)) * counts > 0, axis=1)
    with np.errstate(invalid="ignore"):
        taus = np.sum(n_compared * means, axis=1) / np.sum(n_compared, axis=1)
    return np.where(varied, taus, np.nan)
