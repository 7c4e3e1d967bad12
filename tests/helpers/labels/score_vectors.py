"""Two random score vectors of one length, with ties, and samples of them, for Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

vectors = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=8).map(
    lambda pairs: tuple(np.array(pairs, dtype=float).T)
)


def sampled(first, second, correlate):
    """Return what a correlation is of each of five samples of the items, drawn one by one."""
    draws = np.random.default_rng(0).integers(len(first), size=(5, len(first)))
    counts = np.array([np.bincount(draw, minlength=len(first)) for draw in draws])
    values = [correlate(first[draw], second[draw]) for draw in draws]
    return counts, np.array([np.nan if value is None else value for value in values])
