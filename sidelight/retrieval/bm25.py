"""BM25, alone and with pseudo-relevance feedback, over a Lucene index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.index.lucene.segments import Bm25, Rm3, Rocchio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.index.lucene.segments import LuceneIndex, LuceneSearcher
    from sidelight.schemas.investigation.evidence import Hit, Query


_BM25 = Bm25()


class _LuceneRetriever:
    _searcher: LuceneSearcher

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

    def __init__(self, lucene: LuceneIndex, k1: float = _BM25.k1, b: float = _BM25.b) -> None:
        self._searcher = lucene.searcher(Bm25(k1, b))


class RobertsonBm25Retriever(Bm25Retriever):
    """Ranks by BM25 with the parameters that its authors gave, k1 1.2 and b .75.

    Args:
        lucene: An open Lucene index.
    """

    name = "bm25-robertson"

    def __init__(self, lucene: LuceneIndex) -> None:
        super().__init__(lucene, k1=1.2, b=0.75)


class Rm3Retriever(_LuceneRetriever):
    """Ranks by BM25 after expanding each query by RM3 (Abdul-Jaleel et al., TREC 2004).

    Args:
        terms: An open Lucene index that keeps the words of its segments, or their text.
        rm3: Parameters of the expansion.
        bm25: Parameters of both rounds of searching.
    """

    name = "rm3"

    def __init__(self, terms: LuceneIndex, rm3: Rm3 = Rm3(), bm25: Bm25 = _BM25) -> None:  # noqa: B008 - frozen
        self._searcher = terms.searcher(bm25, rm3)


class RocchioRetriever(_LuceneRetriever):
    """Ranks by BM25 after moving each query towards its best segments (Rocchio, 1971).

    Args:
        terms: An open Lucene index that keeps the words of its segments, or their text.
        rocchio: Parameters of the expansion.
        bm25: Parameters of both rounds of searching.
    """

    name = "rocchio"

    def __init__(
        self,
        terms: LuceneIndex,
        rocchio: Rocchio = Rocchio(),  # noqa: B008 - frozen
        bm25: Bm25 = _BM25,
    ) -> None:
        self._searcher = terms.searcher(bm25, rocchio)
