"""Raw agreement: the share of things that two sides gave the same label.

p_o = (1 / n) * sum over k of n_kk.

n_kk: things that both sides gave category k; n: things that both judged. Edge case: with n = 0 it
is undefined, None. In [0, 1]; higher is better. It rewards both sides for a common category: read
it beside `cohen_kappa` and `gwet_ac1`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sidelight.evaluation.agreement.coefficients.confusion import Confusion


def raw_agreement(table: Confusion) -> float | None:
    """Return the share of equal labels; None when nothing was compared."""
    n = int(table.sum())
    return int(np.trace(table)) / n if n else None
