"""First-stage retrievers by name: BM25, with and without feedback, dense, SPLADE, and two fused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING

from sidelight.errors import InputError, UsageError
from sidelight.index.lucene import segments
from sidelight.registry import load, make
from sidelight.retrieval.base import Retriever
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.text import quoted

if TYPE_CHECKING:
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import SearchIndex
    from sidelight.index.vectors.vectors import VectorIndex

FUSION_CONSTANT = 60.0
"""What reciprocal rank fusion adds to a rank, as in Cormack, Clarke and Buettcher, 2009."""

PARTS = ("lucene", "terms", "vectors", "encoder", "impacts", "docstore")
"""What the constructor of a retriever may ask for: these parts of an `SearchIndex`, and `depth`."""


def open_retriever(name: str | None, folder: SearchIndex, *, depth: int = 100) -> Retriever:
    """Open a first-stage retriever over an index; only the parts that it asks for are opened.

    Args:
        name: As registered, or `module:Class`; None for `hybrid`, or `bm25` without vectors.
        folder: An open index.
        depth: Hits of each retriever that one which fuses others takes.
    """
    name = name or ("hybrid" if folder.has_vectors else "bm25")
    offered = {part: partial(getattr, folder, part) for part in PARTS} | {"depth": lambda: depth}
    retriever: Retriever = make(f"retriever {name!r}", load("retriever", name), offered)
    return _Checked(retriever, name) if ":" in name else retriever


class _Checked:
    """A retriever of somebody's own, whose answers are checked."""

    def __init__(self, retriever: Retriever, title: str) -> None:
        self.name = str(getattr(retriever, "name", title))
        self._retriever, self._title = retriever, title

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id, as the retriever ordered them.

        UsageError is raised for an answer that lacks a query, holds something else than pairs of
        a segment id and a score, or is not ordered by score.
        """
        answer = self._retriever.search(queries, k)
        found: dict[str, list[Hit]] = {}
        for query in queries:
            where = f"retriever {self._title!r}: query {query.query_id}: expected hits"
            if not isinstance(answer, Mapping) or query.query_id not in answer:
                raise UsageError(
                    f"{where} for every query id; found none",
                    remedy="Return a dictionary by query id, with an empty list for a query "
                    "without hits.",
                )
            try:
                hits = [Hit(str(name), float(score)) for name, score in answer[query.query_id]]
            except (TypeError, ValueError) as error:
                raise UsageError(
                    f"{where}, pairs of a segment id and a score; found "
                    f"{quoted(answer[query.query_id])}",
                    remedy="Return Hit(segment_id, score) objects or such pairs.",
                ) from error
            scores = [hit.score for hit in hits]
            if scores != sorted(scores, reverse=True):
                raise UsageError(
                    f"{where} by falling score; found others", remedy="Order them with `ranked`."
                )
            found[query.query_id] = hits[:k]
        return found


_BM25 = segments.Bm25()


class _LuceneRetriever:
    _searcher: segments.LuceneSearcher

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        return self._searcher.search(queries, k)


class Bm25Retriever(_LuceneRetriever):
    """Ranks by BM25.

    Args:
        lucene: An open Lucene index.
        k1: How slowly further occurrences of a word count less.
        b: How far long segments are held back, in [0, 1].
    """

    name = "bm25"

    def __init__(
        self, lucene: segments.LuceneIndex, k1: float = _BM25.k1, b: float = _BM25.b
    ) -> None:
        self._searcher = lucene.searcher(segments.Bm25(k1, b))


class RobertsonBm25Retriever(Bm25Retriever):
    """Ranks by BM25 with the parameters that its authors gave, k1 1.2 and b .75."""

    name = "bm25-robertson"

    def __init__(self, lucene: segments.LuceneIndex) -> None:
        super().__init__(lucene, k1=1.2, b=0.75)


class Rm3Retriever(_LuceneRetriever):
    """Ranks by BM25 after expanding each query by RM3 (Abdul-Jaleel et al., TREC 2004)."""

    name = "rm3"

    def __init__(self, terms: segments.LuceneIndex) -> None:
        self._searcher = terms.searcher(feedback=segments.Rm3())


class RocchioRetriever(_LuceneRetriever):
    """Ranks by BM25 after moving each query towards its best segments (Rocchio, 1971)."""

    name = "rocchio"

    def __init__(self, terms: segments.LuceneIndex) -> None:
        self._searcher = terms.searcher(feedback=segments.Rocchio())


class SpladeRetriever(_LuceneRetriever):
    """Ranks by the weights of words that a model learned (SPLADE; Formal et al., SIGIR 2021)."""

    name = "splade"

    def __init__(self, impacts: segments.LuceneSearcher) -> None:
        self._searcher = impacts


class DenseRetriever:
    """Ranks by the inner product of unit vectors; the two must have the same dimension."""

    name = "dense"

    def __init__(self, vectors: VectorIndex | segments.LuceneVectors, encoder: Encoder) -> None:
        dimension = encoder.identity().dimension
        if vectors.dimension != dimension:
            raise InputError(
                f"the encoder {encoder.name!r} makes vectors of {dimension} numbers; those of the "
                f"index have {vectors.dimension}",
                remedy="Search with the encoder that built the index.",
            )
        self._vectors = vectors
        self._encoder = encoder

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        encoded = self._encoder.encode_queries([query.text for query in queries])
        found = self._vectors.search(encoded, k)
        return {query.query_id: hits for query, hits in zip(queries, found, strict=True)}


class FusionRetriever:
    """Ranks by reciprocal rank fusion of retrievers, whose order does not matter.

    `depth` hits of each retriever are fused, or `k` if that is more.
    """

    name = "fusion"

    def __init__(self, retrievers: Sequence[Retriever], *, depth: int = 100) -> None:
        self._retrievers = tuple(retrievers)
        self._depth = depth

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        depth = max(self._depth, k)
        results = [retriever.search(queries, depth) for retriever in self._retrievers]
        return {
            query.query_id: reciprocal_rank_fusion((found[query.query_id] for found in results), k)
            for query in queries
        }


def reciprocal_rank_fusion(runs: Iterable[Sequence[Hit]], k: int | None = None) -> list[Hit]:
    """Fuse the hits of one query: each segment scores the sum of 1 / (`FUSION_CONSTANT` + rank).

    Source: Cormack, Clarke and Buettcher, SIGIR 2009. A run that lacks a segment adds nothing. The
    sum is rounded once, so the order of the runs cannot show in the last digit. The best `k` come.
    """
    scored = [
        {hit.segment_id: 1 / (FUSION_CONSTANT + rank) for rank, hit in enumerate(hits, start=1)}
        for hits in runs
    ]
    if len(scored) == 2:  # a sum of two is rounded once anyhow
        one, other = scored
        scores = {**other, **one}
        for name in one.keys() & other.keys():
            scores[name] += other[name]
    else:
        names = dict.fromkeys(chain.from_iterable(scored))
        scores = {name: fsum([one.get(name, 0.0) for one in scored]) for name in names}
    return ranked(list(map(Hit._make, scores.items())))[:k]


class HybridRetriever(FusionRetriever):
    """Fuses BM25 and dense retrieval by reciprocal rank."""

    name = "hybrid"

    def __init__(
        self,
        lucene: segments.LuceneIndex,
        vectors: VectorIndex | segments.LuceneVectors,
        encoder: Encoder,
        depth: int = 100,
    ) -> None:
        super().__init__([Bm25Retriever(lucene), DenseRetriever(vectors, encoder)], depth=depth)


class SpladeDenseRetriever(FusionRetriever):
    """Fuses SPLADE and dense retrieval by reciprocal rank, like the reference of TREC 2025 RAG."""

    name = "splade-dense"

    def __init__(
        self,
        impacts: segments.LuceneSearcher,
        vectors: VectorIndex | segments.LuceneVectors,
        encoder: Encoder,
        depth: int = 100,
    ) -> None:
        super().__init__([SpladeRetriever(impacts), DenseRetriever(vectors, encoder)], depth=depth)
