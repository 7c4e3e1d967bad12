"""Lucene through Anserini: write an index, and search it from any thread.

A batch of queries is one call into Java, and its hits come back as one JSON text: reading them
object by object takes several times as long as the search itself.
"""

from __future__ import annotations

import os
import shutil
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from sidelight.errors import InputError, MachineError
from sidelight.index.jvm import java_class
from sidelight.index.segment_text import lexical_text
from sidelight.schemas.search import Hit, Query, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sidelight.schemas.segment import Segment

ANALYZER = "Anserini DefaultEnglishAnalyzer: Porter stemmer, Lucene stop words"

_BATCH = 1000
# What Lucene gathers in memory before it writes; Anserini's default is more than the whole heap.
_BUFFER_MB = "256"
# Lucene refuses a query of more than 1,024 different words; a whole article may well be one.
_MAX_QUERY_WORDS = 1 << 16


class Bm25(NamedTuple):
    """Parameters of BM25; the defaults are those of the track's baseline."""

    k1: float = 0.9
    b: float = 0.4


_BM25 = Bm25()


class Rm3(NamedTuple):
    """Parameters of RM3 pseudo-relevance feedback; the defaults are those of the track's baseline.

    Attributes:
        terms: Feedback terms added to a query.
        documents: Best segments they are taken from.
        original_weight: Weight of the query's own words, in [0, 1].
    """

    terms: int = 10
    documents: int = 10
    original_weight: float = 0.5


class Rocchio(NamedTuple):
    """Parameters of Rocchio pseudo-relevance feedback; the defaults are Anserini's.

    Attributes:
        terms: Feedback terms added to a query.
        documents: Best segments they are taken from.
        alpha: Weight of the query's own vector.
        beta: Weight of the mean vector of the best segments.
    """

    terms: int = 10
    documents: int = 10
    alpha: float = 1.0
    beta: float = 0.75


def write_lucene(folder: Path, segments: Iterable[Segment]) -> None:
    """Index segments with positions and document vectors, which feedback needs.

    The text itself is not stored: the docstore has it.

    Args:
        folder: Where the index goes; what an interrupted call left there is thrown away.
        segments: Read once, some thousands at a time.

    Raises:
        MachineError: Lucene did not accept a segment.
    """
    shutil.rmtree(folder, ignore_errors=True)
    threads = str(os.cpu_count() or 1)
    options = ["-collection", "JsonCollection", "-input", "", "-index", str(folder)]
    options += ["-threads", threads, "-storePositions", "-storeDocvectors"]
    options += ["-memoryBuffer", _BUFFER_MB]
    indexer = java_class("io.anserini.index.SimpleIndexer")(options)
    remaining = iter(segments)
    while batch := list(islice(remaining, _BATCH)):
        texts = [(segment.segment_id, lexical_text(segment)) for segment in batch]
        documents = [
            orjson.dumps({"id": segment_id, "contents": text}).decode()
            for segment_id, text in texts
            if text.strip()  # Anserini refuses a blank document, and no word could find it
        ]
        accepted = indexer.addRawDocuments(documents)
        if accepted != len(documents):
            raise MachineError(f"Lucene took {accepted} of {len(documents)} segments")
    indexer.close()


def merge_lucene(folder: Path, parts: Sequence[Path]) -> None:
    """Copy the indexes that `write_lucene` made into one; Lucene joins small files on the way.

    Args:
        folder: Where the index goes; what an interrupted call left there is thrown away.
        parts: The folders of the indexes, which stay as they are.
    """
    shutil.rmtree(folder, ignore_errors=True)
    open_directory = java_class("org.apache.lucene.store.FSDirectory").open
    path_of = java_class("java.nio.file.Path").of
    config = java_class("org.apache.lucene.index.IndexWriterConfig")()
    directory = open_directory(path_of(str(folder)))
    writer = java_class("org.apache.lucene.index.IndexWriter")(directory, config)
    writer.addIndexes(*(open_directory(path_of(str(part))) for part in parts))
    writer.close()


class LuceneIndex:
    """An index made by `write_lucene`, or any index made by Anserini.

    Args:
        folder: The folder with Lucene's files.

    Raises:
        InputError: The folder holds no Lucene index.
    """

    def __init__(self, folder: Path) -> None:
        if not any(folder.glob("segments_*")):
            raise InputError(
                f"{folder}: expected a Lucene index; found none",
                remedy="Build one with `sidelight index build`.",
            )
        self._folder = folder

    def searcher(self, bm25: Bm25 = _BM25, feedback: Rm3 | Rocchio | None = None) -> LuceneSearcher:
        """Open a searcher with its own parameters; the files are mapped, so many cost little."""
        java = java_class("io.anserini.search.SimpleSearcher")(str(self._folder))
        java.set_bm25(*bm25)
        if isinstance(feedback, Rm3):
            java.set_rm3(*feedback)
        elif isinstance(feedback, Rocchio):
            terms, documents, alpha, beta = feedback
            # The other half of the formula would take segments judged not relevant; there are none.
            negative = (terms, documents)
            weights = (alpha, beta, 0.0)
            java.set_rocchio(None, terms, documents, *negative, *weights, *(False, False))
        return LuceneSearcher(java)


class LuceneSearcher:
    """Searches with one set of parameters, from any thread; made by `LuceneIndex.searcher`.

    Args:
        java: Anserini's SimpleSearcher.
    """

    def __init__(self, java: Any) -> None:
        self._java = java
        self._list = java_class("java.util.ArrayList")
        self._mapper = java_class("com.fasterxml.jackson.databind.ObjectMapper")()
        java_class("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(_MAX_QUERY_WORDS)
        document = java_class("java.lang.Class").forName("org.apache.lucene.document.Document")
        ignored = java_class("java.lang.Boolean")("true")
        self._mapper.configOverride(document).setIsIgnoredType(ignored)
        # Anserini opens its searcher at the first search, and threads that come together then may
        # find it half open.
        self.search([Query(query_id="first", text="first")], 1)

    def __len__(self) -> int:
        return int(self._java.get_total_num_docs())

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits per query.

        Raises:
            MachineError: Lucene failed on a query; Anserini says so by leaving it out.
        """
        if not queries:
            return {}
        texts, query_ids = self._list(), self._list()
        for query in queries:
            # A lone surrogate, as in an argument that was not UTF-8, cannot pass into Java.
            texts.add(query.text.encode(errors="replace").decode())
            query_ids.add(query.query_id)
        found = self._java.batch_search(texts, query_ids, k, os.cpu_count() or 1)
        hits = orjson.loads(self._mapper.writeValueAsString(found))
        for query in queries:
            if query.query_id not in hits:
                raise MachineError(f"Lucene failed on the query {query.text!r}")
        return {
            query.query_id: ranked(
                [Hit(hit["docid"], hit["score"]) for hit in hits[query.query_id]]
            )
            for query in queries
        }
