"""Two random score vectors of one length, with ties, for Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

vectors = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=8).map(
    lambda pairs: tuple(np.array(pairs, dtype=float).T)
)
