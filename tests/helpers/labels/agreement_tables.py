"""Random confusion tables for Hypothesis."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st


@st.composite
def _tables(draw: st.DrawFn) -> npt.NDArray[np.int64]:
    k = draw(st.integers(2, 4))
    cells = draw(st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k))
    return np.array(cells, dtype=np.int64).reshape(k, k)


tables = _tables()


def as_labels(table: npt.NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """Return the two lists of labels that a table counts."""
    pairs = [place for place, count in np.ndenumerate(table) for _ in range(count)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
