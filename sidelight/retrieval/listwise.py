"""Listwise reranking of another retriever's hits, twenty at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.investigation.evidence import Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.retrieval.base import Lookup, Retriever
    from sidelight.schemas.investigation.evidence import Query
    from sidelight.schemas.segment import Segment

    # Given queries and the segments of each, returns for each the places of its segments, best
    # first, every place once.
    Order = Callable[[Sequence[tuple[str, Sequence[Segment]]]], Sequence[Sequence[int]]]

WINDOW, STRIDE = 20, 10


class ListwiseRetriever:
    """Ranks by a window that slides from the last candidates to the first.

    Each window is put in order before the next one, which begins half a window further up, so the
    best of the lower ranks are carried to the top. Windows of one place are asked about together
    for all queries.

    Source: Sun et al., EMNLP 2023 (RankGPT).

    Args:
        retriever: Finds the candidates.
        order: Puts the segments of windows in order.
        lookup: Returns the text of segments.
        depth: Candidates per query, or `k` if that is more.
    """

    def __init__(self, retriever: Retriever, order: Order, lookup: Lookup, *, depth: int) -> None:
        self.name = f"{retriever.name}+listwise"
        self._retriever = retriever
        self._order = order
        self._lookup = lookup
        self._depth = depth

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id; a score is how many candidates come after."""
        found = self._retriever.search(queries, max(self._depth, k))
        candidates = {
            query.query_id: list(self._lookup([hit.segment_id for hit in found[query.query_id]]))
            for query in queries
        }
        longest = max(map(len, candidates.values()), default=0)
        for start in window_starts(longest):
            asked = [query for query in queries if len(candidates[query.query_id]) > start + 1]
            windows = [candidates[query.query_id][start : start + WINDOW] for query in asked]
            texts = [query.text for query in asked]
            orders = self._order(list(zip(texts, windows, strict=True)))
            for query, window, places in zip(asked, windows, orders, strict=True):
                candidates[query.query_id][start : start + WINDOW] = [window[at] for at in places]
        return {
            name: [
                Hit(segment.segment_id, float(len(segments) - place))
                for place, segment in enumerate(segments)
            ][:k]
            for name, segments in candidates.items()
        }


def window_starts(count: int) -> range:
    """Return where windows over so many candidates begin, the last one first."""
    last = max(0, -(-(count - WINDOW) // STRIDE)) * STRIDE
    return range(last, -1, -STRIDE)
