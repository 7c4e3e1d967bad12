"""The first hits of another retriever, ordered by a cross-encoder."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from sidelight.errors import INSTALL, MachineError
from sidelight.index.segment_text import passage_text
from sidelight.schemas.search import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.retrieval.base import Lookup, Retriever
    from sidelight.schemas.search import Query

_ROWS = 16


class RerankRetriever:
    """Ranks by a model that reads the query and a segment together.

    Args:
        retriever: Finds the candidates.
        model: Name or path of a sentence-transformers CrossEncoder, loaded at the first search.
        lookup: Returns the text of segments.
        depth: Candidates per query, or `k` if that is more.
    """

    def __init__(
        self, retriever: Retriever, model: str, lookup: Lookup, *, depth: int = 100
    ) -> None:
        self.name = f"{retriever.name}+rerank"
        self._retriever = retriever
        self._model_name = model
        self._lookup = lookup
        self._depth = depth
        self._lock = threading.Lock()
        self._model: Any = None

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id.

        Raises:
            MachineError: The model cannot be loaded.
        """
        candidates = self._retriever.search(queries, max(self._depth, k))
        return {
            query.query_id: self._rerank(query.text, candidates[query.query_id])[:k]
            for query in queries
        }

    def _rerank(self, text: str, candidates: Sequence[Hit]) -> list[Hit]:
        if not candidates:
            return []
        segments = self._lookup([hit.segment_id for hit in candidates])
        # The model's own batches are cut from the pairs in order of length.
        pairs = [(text, passage_text(segment)) for segment in segments]
        with self._lock:
            if self._model is None:
                self._model = _load(self._model_name)
            scores = self._model.predict(pairs, batch_size=_ROWS, show_progress_bar=False)
        return ranked(
            [
                Hit(segment.segment_id, float(score))
                for segment, score in zip(segments, scores, strict=True)
            ]
        )


def _load(name: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ModuleNotFoundError as error:
        raise MachineError(
            f"reranking needs the package {error.name!r}, which is not installed",
            remedy=INSTALL,
        ) from error
    try:
        return CrossEncoder(name)
    except OSError as error:
        raise MachineError(
            f"the reranker {name!r} cannot be loaded: {str(error).splitlines()[0]}",
            remedy="Give the path of a sentence-transformers CrossEncoder, or download it first.",
        ) from error
