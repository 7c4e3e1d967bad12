"""Hybrid retrieval: BM25 and dense retrieval, fused by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.retrieval.bm25 import Bm25Retriever
from sidelight.retrieval.dense import DenseRetriever
from sidelight.retrieval.fusion import FusionRetriever

if TYPE_CHECKING:
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.lucene.segments import LuceneIndex
    from sidelight.index.lucene.vectors import LuceneVectors
    from sidelight.index.vectors.vectors import VectorIndex


class HybridRetriever(FusionRetriever):
    """Fuses BM25 and dense retrieval by reciprocal rank.

    Args:
        lucene: An open Lucene index.
        vectors: Vectors of the same segments.
        encoder: The encoder that made them.
        depth: How many hits of each are fused.

    Raises:
        InputError: Vectors and encoder differ in dimension.
    """

    name = "hybrid"

    def __init__(
        self,
        lucene: LuceneIndex,
        vectors: VectorIndex | LuceneVectors,
        encoder: Encoder,
        depth: int = 100,
    ) -> None:
        super().__init__([Bm25Retriever(lucene), DenseRetriever(vectors, encoder)], depth=depth)
