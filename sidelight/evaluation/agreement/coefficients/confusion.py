"""Counts of labels by two sides, which every measure of label agreement is computed from.

n_ij: how many things the first side gave category i and the second side category j.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Confusion = npt.NDArray[np.int64]
"""`(K, K)`: a row for each category of the first side, a column for each of the second."""


def confusion_table(
    first: Sequence[Hashable], second: Sequence[Hashable], categories: Sequence[Hashable]
) -> Confusion:
    """Count two lists of labels of the same things.

    Args:
        first: `(n,)` labels by one side.
        second: `(n,)` labels by the other, in the same order.
        categories: All K categories of the scheme, used or not, in the order of the table.
    """
    place = {category: number for number, category in enumerate(categories)}
    table = np.zeros((len(place), len(place)), dtype=np.int64)
    for (left, right), count in Counter(zip(first, second, strict=True)).items():
        table[place[left], place[right]] = count
    return table
