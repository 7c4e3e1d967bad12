"""Segments that somebody has already found, for whatever is searched for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.investigation.search import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.investigation.search import Query


class GivenRetriever:
    """Returns the same segments for every query, in the order in which they were given.

    Args:
        segment_ids: The best first.
    """

    name = "given"

    def __init__(self, segment_ids: Sequence[str]) -> None:
        different = dict.fromkeys(segment_ids)
        self._hits = [Hit(name, 1.0 / rank) for rank, name in enumerate(different, start=1)]

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        return {query.query_id: self._hits[:k] for query in queries}
