"""Scores that put items in an order, which the rank correlations compare."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
"""`(n,)`: one score for each item; higher comes first."""


def orders_nothing(scores: Scores) -> bool:
    """Tell whether all scores are equal; no rank correlation is defined then."""
    return bool(np.ptp(scores) == 0)
