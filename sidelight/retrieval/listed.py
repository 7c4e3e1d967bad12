"""Retriever over a fixed list of segments, and over the answers of an existing run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.investigation.evidence import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.investigation.evidence import Query


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


class TrecRunRetriever:
    """Answers by query id; the words of a query are not looked at.

    Args:
        run: Hits by query id, as `formats.trec_run.read_trec_run` returns them. A query that a run
            lacks has no hits.
        name: Name of the run.
    """

    def __init__(self, run: Mapping[str, Sequence[Hit]], name: str = "trec_run") -> None:
        self.name = name
        self._run = {query_id: ranked(list(hits)) for query_id, hits in run.items()}

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        return {query.query_id: self._run.get(query.query_id, [])[:k] for query in queries}
