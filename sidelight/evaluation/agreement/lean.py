"""Which way a side leans whose grades differ from the other's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from sidelight.evaluation.agreement.categories import CategoryAgreement

_EVEN = 0.05
"""Mean differences below it are nobody's leaning."""


class Lean(NamedTuple):
    """How grades of the second side differ from those of the first.

    Attributes:
        higher: How many things it grades higher.
        lower: How many lower.
        mean: Mean of the second side's grade less the first's, in steps of the scale.
    """

    higher: int
    lower: int
    mean: float

    @property
    def words(self) -> str:
        """Return which way the second side leans."""
        if abs(self.mean) < _EVEN:
            return "neither side is more generous"
        return f"the second side is {'more' if self.mean > 0 else 'less'} generous"


def lean(found: CategoryAgreement) -> Lean:
    """Return which way the second side leans; categories stand from the lowest grade up."""
    steps = np.subtract.outer(np.arange(len(found.categories)), np.arange(len(found.categories)))
    difference = -steps  # column less row
    return Lean(
        higher=int(found.table[difference > 0].sum()),
        lower=int(found.table[difference < 0].sum()),
        mean=float((found.table * difference).sum() / found.n),
    )
