"""A retriever whose hits are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sidelight.schemas.investigation.evidence import Hit, Query, ranked


class TrecRunRetriever:
    """Answers by query id; the words of a query are not looked at.

    Args:
        run: Hits by query id. A query that a run lacks has no hits.
        name: Name of the run.
    """

    def __init__(self, run: Mapping[str, Sequence[Hit]], name: str = "trec_run") -> None:
        self.name = name
        self._run = {query_id: ranked(list(hits)) for query_id, hits in run.items()}

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        return {query.query_id: self._run.get(query.query_id, [])[:k] for query in queries}
