"""What arms share, so that none pays for what another had: hits and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.build.investigation import Sources, build_retriever
from sidelight.text_vectors import TextVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sidelight.config.settings import RetrievalSettings
    from sidelight.index.folder import SearchIndex
    from sidelight.retrieval.base import Retriever
    from sidelight.schemas.investigation.search import Hit, Query

# What decides the hits of a retriever; the rest of the settings is for those who read them.
_OF_HITS = ("retriever", "depth", "reranker", "rerank_margin")


class SharedSources:
    """Sources of all arms over one index.

    Args:
        folder: The index.
    """

    def __init__(self, folder: SearchIndex) -> None:
        self._folder = folder
        self._encode = TextVectors(self._encode_sentences)
        self._retrievers: dict[tuple[object, ...], RememberingRetriever] = {}

    def of(self, settings: RetrievalSettings) -> Sources:
        """Return the sources of an arm; arms that search alike share their hits."""
        return Sources(self.retriever(settings), self._folder.docstore.get_many, self._encode)

    def retriever(self, settings: RetrievalSettings) -> Retriever:
        """Return the retriever of an arm."""
        key = tuple(getattr(settings, name) for name in _OF_HITS)
        if key not in self._retrievers:
            self._retrievers[key] = RememberingRetriever(build_retriever(settings, self._folder))
        return self._retrievers[key]

    def _encode_sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Only this loads the encoder; a finished experiment has nothing to encode.
        return self._folder.encoder.encode_sentences(texts)


class RememberingRetriever:
    """Searches for the same words but once.

    Args:
        retriever: Who searches.
    """

    def __init__(self, retriever: Retriever) -> None:
        self.name = retriever.name
        self._retriever = retriever
        self._found: dict[tuple[str, int], list[Hit]] = {}

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        new = [query for query in queries if (query.text, k) not in self._found]
        if new:
            hits = self._retriever.search(new, k)
            self._found.update(((query.text, k), hits[query.query_id]) for query in new)
        return {query.query_id: self._found[query.text, k] for query in queries}
