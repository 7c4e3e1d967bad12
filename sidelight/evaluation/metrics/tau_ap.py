"""AP correlation: like Kendall's tau, but a swap near the top costs more than one at the bottom.

tau_AP = 1 / |N| * sum over i in N of 1 / |A_i| * sum over j in A_i of sgn(r_j - r_i).

The items are ordered by the scores under test. A_i: the items that score strictly above item i
there; N: the items for which A_i is not empty; r: the reference score. Source: Yilmaz, Aslam and
Robertson, SIGIR 2008. Their formula, 2 / (n - 1) * sum over i > 1 of C(i) / (i - 1) - 1 with C(i)
the items above rank i that belong there, is the same where nothing is tied.

Edge cases. Ties under test: tied items are compared with those above their whole group and not
with each other, so that equal scores on both sides give 1 with ties, too. Ties in the reference:
the pair counts half, as if either order were right. A constant side: undefined (None).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.metrics.score_vector import orders_nothing

if TYPE_CHECKING:
    from sidelight.evaluation.metrics.score_vector import Scores


def tau_ap(reference: Scores, scores: Scores) -> float | None:
    """Return tau_AP of `scores` against `reference`, in [-1, 1], not symmetric.

    Args:
        reference: `(n,)` the scores that say what the order should be.
        scores: `(n,)` the scores whose order is tested.

    Returns:
        None when a side is constant.
    """
    if orders_nothing(reference) or orders_nothing(scores):
        return None
    above = scores[np.newaxis, :] > scores[:, np.newaxis]
    correct = np.sign(reference[np.newaxis, :] - reference[:, np.newaxis])
    n_above = above.sum(axis=1)
    below_top = n_above > 0
    means = np.sum(above * correct, axis=1)[below_top] / n_above[below_top]
    return float(np.mean(means))
