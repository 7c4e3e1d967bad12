"""Gwet's AC1: agreement beyond chance that common categories do not drag down.

AC1 = (p_o - p_e) / (1 - p_e), with p_e = 1 / (K - 1) * sum over k of pi_k * (1 - pi_k).

K: the categories of the scheme, used or not; pi_k: the mean of the two sides' shares of category k.
Source: Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008). Edge cases:
undefined (None) when nothing was compared. p_e is at most 1 / K, so it never reaches 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients.chance_corrected import chance_corrected
from sidelight.evaluation.agreement.coefficients.raw_agreement import raw_agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.agreement.coefficients.confusion import Confusion


def gwet_ac1(table: Confusion) -> float | None:
    """Return Gwet's AC1, in [-1, 1]; None when nothing was compared.

    Args:
        table: `(K, K)` counts over all K >= 2 categories of the scheme.
    """
    observed = raw_agreement(table)
    if observed is None:
        return None
    shares = (table.sum(axis=1) + table.sum(axis=0)) / (2 * table.sum())
    return chance_corrected(observed, expected_agreement(shares.tolist()))


def expected_agreement(shares: Sequence[float]) -> float:
    """Return p_e from the mean share of each of K >= 2 categories."""
    pi = np.array(shares)
    return float(np.sum(pi * (1 - pi))) / (len(pi) - 1)
