"""AP correlation where both sides may tie: symmetric, and a tie is never agreement.

tau_AP,b = (t(x, y) + t(y, x)) / 2, with
t(x, y) = 1 / |N| * sum over i in N of (2 * C_i / |A_i| - 1).

A_i: the items that score strictly above item i in x; N: the items for which A_i is not empty; C_i:
those of A_i that score strictly above item i in y, too. Source: Urbano and Marrero, The Treatment
of Ties in AP Correlation, ICTIR 2017. A judge that knows the best of n runs and ties all others
has a tau_AP of 1, since ties under test are not compared there; here it is near 0.

Edge cases. Equal scores on both sides give 1, with ties, too. A constant side: undefined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients.score_vector import once_each, pair_signs

if TYPE_CHECKING:
    import numpy.typing as npt

    from sidelight.evaluation.agreement.coefficients.score_vector import (
        Correlations,
        Counts,
        Scores,
    )


def tau_ap_b(first: Scores, second: Scores) -> float | None:
    """Return tau_AP,b, in [-1, 1], symmetric; None when a side is constant."""
    return once_each(resampled_tau_ap_b, first, second)


def resampled_tau_ap_b(first: Scores, second: Scores, counts: Counts) -> Correlations:
    """Return tau_AP,b of every sample of the items."""
    # The item of the row is above that of the column.
    one, other = pair_signs(first) > 0, pair_signs(second) > 0
    return (_directed(one, one & other, counts) + _directed(other, one & other, counts)) / 2


def _directed(
    above: npt.NDArray[np.bool_], concordant: npt.NDArray[np.bool_], counts: Counts
) -> Correlations:
    n_above = counts @ above
    shares = (counts @ concordant) / np.maximum(n_above, 1)
    n_compared = np.where(n_above > 0, counts, 0)
    with np.errstate(invalid="ignore"):
        taus: Correlations = np.sum(n_compared * (2 * shares - 1), axis=1) / np.sum(
            n_compared, axis=1
        )
    return taus
