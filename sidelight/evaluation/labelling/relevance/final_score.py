"""The grade at the end of a judge's reply, and the one that follows from what it found.

A reply may speak of several grades before it comes to one, and name the scale: the last marker
counts, and only a whole grade of the scale that ends there. Source: TREC 2025 RAG track overview,
sections 3.1 and figure 5.
"""

from __future__ import annotations

import re
from typing import Literal

HIGHEST = 4
_MARKER = "final score"
_GRADE = re.compile(r"\W{0,8}?(-?\d+(?:[.,]\d+)?)(?![\w/])")
_DOWN = {"none": 0, "some": 1, "much": 2}

Beside = Literal["none", "some", "much"]
"""How much of a passage is beside the narrative."""


def final_score(reply: str) -> int:
    """Return the grade that stands behind the last marker, 0 to 4.

    Raises:
        ValueError: There is no marker, or no grade of the scale behind the last one.
    """
    place = reply.casefold().rfind(_MARKER)
    if place < 0:
        raise ValueError(f"expected the grade as ##{_MARKER}: and a number")
    found = _GRADE.match(reply.casefold(), place + len(_MARKER))
    if found is None or found[1] not in {str(grade) for grade in range(HIGHEST + 1)}:
        raise ValueError(f"expected a whole grade from 0 to {HIGHEST} behind ##{_MARKER}:")
    return int(found[1])


def grade_of(covered: int, beside: Beside, *, related: bool = True) -> int:
    """Return the grade of a passage by how many sub-narratives it answers.

    Args:
        covered: How many it answers in detail.
        beside: How much of it is beside the narrative.
        related: Whether it is about the narrative's subject at all.
    """
    if not related and not covered:
        return 0
    reached = {0: 1, 1: 2, 2: 3, 3: 3}.get(covered, HIGHEST)
    return max(0, reached - _DOWN[beside])
