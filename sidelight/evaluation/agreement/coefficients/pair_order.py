"""Document pairs by whether two sides put them in the same order.

concordant = C / P, tied = T / P, reversed = D / P, with P = C + T + D.

C: pairs that both sides order alike; D: pairs they order in opposite ways; T: pairs that at least
one side grades the same. It needs no common scale, as kappa does. Source: TREC 2025 RAG overview,
section 3.4. Edge case: a side that gave each query a single grade ordered nothing; the shares are
then undefined (None), not 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class PairOrder:
    """Numbers of pairs; those of several queries may be added."""

    concordant: int = 0
    tied: int = 0
    reversed: int = 0

    def __add__(self, other: PairOrder) -> PairOrder:
        """Return the pairs of both."""
        return PairOrder(
            self.concordant + other.concordant,
            self.tied + other.tied,
            self.reversed + other.reversed,
        )

    @property
    def shares(self) -> dict[str, float] | None:
        """Return each number as a share of all pairs; None when no pair is ordered by both."""
        if self.concordant + self.reversed == 0:
            return None
        pairs = self.concordant + self.tied + self.reversed
        return {
            "concordant": self.concordant / pairs,
            "tied": self.tied / pairs,
            "reversed": self.reversed / pairs,
        }


def pair_order(first: Sequence[int], second: Sequence[int]) -> PairOrder:
    """Compare all pairs of n documents of one query.

    Args:
        first: `(n,)` grades by one side.
        second: `(n,)` grades by the other, in the same order.
    """
    # Grades are few and documents many: count the cells of the grade table, not the pairs.
    rows, row = np.unique(np.array(first), return_inverse=True)
    columns, column = np.unique(np.array(second), return_inverse=True)
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(table, (row, column), 1)
    concordant, discordant = _ordered(table), _ordered(table[:, ::-1])
    pairs = len(first) * (len(first) - 1) // 2
    return PairOrder(concordant, pairs - concordant - discordant, discordant)


def _ordered(table: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> int:
    """Count pairs of which one lies below and to the right of the other."""
    lower_right = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    return int(np.sum(table[:-1, :-1] * lower_right[1:, 1:]))
