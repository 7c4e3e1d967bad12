"""Reranking of another retriever's hits by a cross-encoder."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from sidelight.index.text.corpus import passage_text
from sidelight.schemas.investigation.evidence import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.retrieval.base import Lookup, Retriever
    from sidelight.retrieval.cross_encoder import CrossEncoder
    from sidelight.schemas.investigation.evidence import Query

_BLOCK = 32


class RerankRetriever:
    """Ranks by a model that reads the query and a segment together.

    Candidates are read in blocks, the best ranked first. Where a margin is given, reading ends
    after a block whose best score is further than that below the k-th best score so far: blocks
    further down rarely do better, and only the text of what is read is fetched.

    Args:
        retriever: Finds the candidates.
        model: Scores pairs.
        lookup: Returns the text of segments.
        depth: Candidates per query, or `k` if that is more.
        margin: In the units of the model's scores; None reads all candidates.
    """

    def __init__(
        self,
        retriever: Retriever,
        model: CrossEncoder,
        lookup: Lookup,
        *,
        depth: int = 100,
        margin: float | None = None,
    ) -> None:
        self.name = f"{retriever.name}+rerank"
        self._retriever = retriever
        self._model = model
        self._lookup = lookup
        self._depth = depth
        self._margin = margin
        self._lock = threading.Lock()

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id.

        Raises:
            MachineError: The model cannot be loaded.
        """
        candidates = self._retriever.search(queries, max(self._depth, k))
        return {
            query.query_id: self._rerank(query.text, candidates[query.query_id], k)
            for query in queries
        }

    def _rerank(self, text: str, candidates: Sequence[Hit], k: int) -> list[Hit]:
        read: list[Hit] = []
        for start in range(0, len(candidates), _BLOCK):
            block = self._score(text, candidates[start : start + _BLOCK])
            read = ranked([*read, *block])
            if self._margin is not None and len(read) >= k:
                best = max(hit.score for hit in block)
                if best < read[k - 1].score - self._margin:
                    break
        return read[:k]

    def _score(self, text: str, candidates: Sequence[Hit]) -> list[Hit]:
        segments = self._lookup([hit.segment_id for hit in candidates])
        with self._lock:
            scores = self._model.score(text, [passage_text(segment) for segment in segments])
        return [
            Hit(segment.segment_id, score) for segment, score in zip(segments, scores, strict=True)
        ]
