"""Cohen's kappa: agreement beyond what the two sides' own label shares would give.

kappa = (p_o - p_e) / (1 - p_e), with p_e = sum over k of p_k * q_k.

p_k, q_k: the share of category k among the labels of the first and of the second side. Source:
Cohen, Educational and Psychological Measurement 20 (1960). Edge cases: undefined (None) when
nothing was compared, and when both sides used one and the same category throughout (p_e = 1). It
drops where one category is much more common than the others; `gwet_ac1` does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients.chance_corrected import chance_corrected

if TYPE_CHECKING:
    from sidelight.evaluation.agreement.coefficients.confusion import Confusion


def cohen_kappa(table: Confusion) -> float | None:
    """Return Cohen's kappa, in [-1, 1]; None when it is undefined."""
    n = int(table.sum())
    if not n:
        return None
    # Counts are whole numbers, so that p_e = 1 is met exactly.
    by_chance = int(table.sum(axis=1) @ table.sum(axis=0))
    return chance_corrected(int(table.trace()) / n, by_chance / n**2)


def kappa_of_cell(table: Confusion, row: int, column: int) -> float | None:
    """Return kappa where the first side says `row` or not, and the second `column` or not."""
    both = int(table[row, column])
    first, second = int(table[row].sum()) - both, int(table[:, column].sum()) - both
    neither = int(table.sum()) - both - first - second
    return cohen_kappa(np.array([[both, first], [second, neither]]))
