"""Agreement beyond chance, which kappa and AC1 are cases of.

A = (p_o - p_e) / (1 - p_e).

p_o: raw agreement; p_e: the agreement expected by chance, the one thing the coefficients differ in.
Edge case: with p_e = 1 nothing is left to explain and A is undefined, None: neither 0 nor 1 would
be true. 1 is full agreement, 0 what chance would give, below 0 is worse than chance.
"""

from __future__ import annotations


def chance_corrected(observed: float, expected: float) -> float | None:
    """Return the agreement beyond chance; None when chance alone would agree throughout."""
    return None if expected >= 1 else (observed - expected) / (1 - expected)
