"""Reciprocal rank fusion of any retrievers."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from sidelight.schemas.investigation.evidence import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.retrieval.base import Retriever
    from sidelight.schemas.investigation.evidence import Query


class FusionRetriever:
    """Ranks by the sum over retrievers of 1 / (constant + rank).

    Args:
        retrievers: At least one; their order does not matter.
        depth: How many hits of each are fused, or `k` if that is more.
        constant: Softens the lead of the first ranks.
    """

    name = "fusion"

    def __init__(
        self, retrievers: Sequence[Retriever], *, depth: int = 100, constant: float = 60
    ) -> None:
        self._retrievers = tuple(retrievers)
        self._depth = depth
        self._constant = constant

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        depth = max(self._depth, k)
        results = [retriever.search(queries, depth) for retriever in self._retrievers]
        return {
            query.query_id: reciprocal_rank_fusion(
                [found[query.query_id] for found in results], self._constant
            )[:k]
            for query in queries
        }


def reciprocal_rank_fusion(runs: Iterable[Sequence[Hit]], constant: float = 60) -> list[Hit]:
    """Fuse the hits of one query: each segment scores the sum of 1 / (constant + rank).

    Source: Cormack, Clarke and Buettcher, SIGIR 2009. A run that lacks a segment adds nothing. The
    sum is rounded once, so the order of the runs cannot show in the last digit.
    """
    parts: dict[str, list[float]] = {}
    for hits in runs:
        for rank, hit in enumerate(hits, start=1):
            parts.setdefault(hit.segment_id, []).append(1 / (constant + rank))
    return ranked([Hit(segment_id, fsum(scores)) for segment_id, scores in parts.items()])
