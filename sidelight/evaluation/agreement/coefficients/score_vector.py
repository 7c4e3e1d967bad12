"""Scores that put items in an order, which the rank correlations compare.

A correlation is computed for many bootstrap samples of the items at once, from how often each
sample holds each item; the correlation of the items themselves is that of the sample with each
item once. Sums are of small whole numbers until the last step, so they are exact in any order.
"""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

Scores = npt.NDArray[np.float64]
"""`(n,)`: one score for each item; higher comes first."""

Counts = npt.NDArray[np.int64]
"""`(n_samples, n)`: how often each sample holds each item."""

Correlations = npt.NDArray[np.float64]
"""`(n_samples,)`: NaN where a side is constant in the sample."""


def pair_signs(scores: Scores) -> npt.NDArray[np.float64]:
    """Return `(n, n)`: 1 where the item of the row scores higher, -1 where that of the column."""
    column = np.asarray(scores, dtype=np.float64)[:, np.newaxis]
    return np.sign(column - column.T)


def once_each(
    resampled: Callable[[Scores, Scores, Counts], Correlations], first: Scores, second: Scores
) -> float | None:
    """Return the correlation of the items themselves; None when a side is constant."""
    value = float(resampled(first, second, np.ones((1, len(first)), dtype=np.int64))[0])
    return None if isnan(value) else value
