"""Spread what is taken for an angle over pages and sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.segment import document_id_of, overlapping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.schemas.segment import Segment

_KEPT_PER_HOST = 2


def spread(ranked: Iterable[Segment], keep: int) -> tuple[list[Segment], dict[str, str]]:
    """Take the best segments, two per host at most and no two windows that overlap.

    A page without an address is its own host: nobody knows whom it shares one with.

    Args:
        ranked: The best first.
        keep: So many are taken at most.

    Returns:
        What is taken, the best first, and by segment id why the others are not.
    """
    taken: list[Segment] = []
    left: dict[str, str] = {}
    for segment in ranked:
        if len(taken) == keep:
            left[segment.segment_id] = "others say more"
        elif sum(_host(other) == _host(segment) for other in taken) == _KEPT_PER_HOST:
            left[segment.segment_id] = "two from its host say more"
        elif overlapping(segment.segment_id, (other.segment_id for other in taken)):
            left[segment.segment_id] = "overlaps a window that says more"
        else:
            taken.append(segment)
    return taken, left


def _host(segment: Segment) -> str:
    return segment.host or document_id_of(segment.segment_id)
