"""Lucene index through Anserini: writing, and thread-safe search of our own and published indexes.

The best hits of a query come as ids and scores alone, as one text out of Java. Stored fields are
not read: an id comes from the column of ids by which Lucene breaks ties. Reading hits object by
object takes several times as long as the search itself, and where an index keeps the text of its
segments, loading it with every hit takes longer still. Several HNSW indexes are searched as one.
"""

from __future__ import annotations

import os
import shutil
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from sidelight.errors import InputError, MachineError
from sidelight.index.lucene.jvm import JAVA, call_method, java_class, java_reads
from sidelight.index.text.corpus import lexical_text
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# As Anserini rounds them, so that runs agree with its own.
_DIGITS = 4


class _TopHits:
    """Searches an index of Anserini's, from any thread, several queries at once."""

    def __init__(self, reader: Any, similarity: Any = None) -> None:
        with JAVA:
            self._count = int(reader.numDocs())
            searcher = java_class("org.apache.lucene.search.IndexSearcher")
            # A reader of several indexes fits no other constructor from Python.
            self._searcher = searcher(reader.getContext())
            if similarity is not None:
                self._searcher.setSimilarity(similarity)
            field = java_class("org.apache.lucene.search.SortField")
            kind = java_class("org.apache.lucene.search.SortField$Type")
            by_id = field("id", kind.STRING_VAL)
            self._order = java_class("org.apache.lucene.search.Sort")(field.FIELD_SCORE, by_id)
            self._mapper = java_class("com.fasterxml.jackson.databind.ObjectMapper")()
            java_class("org.apache.lucene.search.TopFieldDocs")
        # Kept, since Java keeps a record of every thread that ever called it.
        self._threads = ThreadPoolExecutor(os.cpu_count())

    def __len__(self) -> int:
        return self._count

    def _top(self, asked: Sequence[Callable[[], Any]], k: int) -> list[list[Hit]]:
        """Return up to `k` hits for each query, which its function makes as Lucene wants it.

        The functions are called by several threads.
        """
        with JAVA:
            limit = java_class("java.lang.Integer")(k)

        def find(make: Callable[[], Any]) -> list[Hit]:
            from jnius import JavaException

            try:
                query = make()
                found = call_method(self._searcher, "search", query, limit, self._order)
                with JAVA:  # as one object: an array would become a list, hit by hit
                    rows = orjson.loads(self._mapper.writeValueAsString(found))["scoreDocs"]
            except JavaException as error:
                raise MachineError(f"Lucene failed on a query: {error}") from error
            return ranked([_hit(*row["fields"]) for row in rows])

        return list(map(find, asked) if len(asked) < 2 else self._threads.map(find, asked))


def _hit(score: float, name: dict[str, Any]) -> Hit:
    start = name["offset"]
    kept = a2b_base64(name["bytes"])[start : start + name["length"]]
    return Hit(kept.decode(), round(score, _DIGITS))


ANALYZER = "Anserini DefaultEnglishAnalyzer: Porter stemmer, Lucene stop words"

# The field that Anserini indexes all words in.
_TEXT_FIELD = "contents"
# What feedback terms come in.
_TERMS = "java.util.HashMap"
# Segments that Anserini is handed at once.
_SEGMENTS_AT_ONCE = 1000
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

    `terms` words from the `documents` best segments are added to a query, whose own words have the
    weight `original_weight`, in [0, 1].
    """

    terms: int = 10
    documents: int = 10
    original_weight: float = 0.5


class Rocchio(NamedTuple):
    """Parameters of Rocchio pseudo-relevance feedback; the defaults are Anserini's.

    `terms` words from the `documents` best segments are added to a query; `alpha` is the weight of
    the query's own vector, `beta` that of the mean vector of these segments.
    """

    terms: int = 10
    documents: int = 10
    alpha: float = 1.0
    beta: float = 0.75


def write_lucene(folder: Path, segments: Iterable[Segment], threads: int | None = None) -> None:
    """Index segments with positions and document vectors, which feedback needs.

    The text itself is not stored: the docstore has it. What an interrupted call left in `folder` is
    thrown away. `segments` are read once, some thousands at a time, and analysed by `threads`
    threads, by default one per core.
    """
    shutil.rmtree(folder, ignore_errors=True)
    options = ["-collection", "JsonCollection", "-input", "", "-index", str(folder.absolute())]
    options += ["-threads", str(threads or os.cpu_count() or 1)]
    options += ["-storePositions", "-storeDocvectors"]
    options += ["-memoryBuffer", _BUFFER_MB]
    indexer = java_class("io.anserini.index.SimpleIndexer")(options)
    remaining = iter(segments)
    while batch := list(islice(remaining, _SEGMENTS_AT_ONCE)):
        texts = [(segment.segment_id, lexical_text(segment)) for segment in batch]
        documents = [
            orjson.dumps({"id": segment_id, "contents": text}).decode()
            for segment_id, text in texts
            if text.strip()  # Anserini refuses a blank document, and no word could find it
        ]
        # Nothing is copied back: Java changes none of them.
        accepted = indexer.addRawDocuments(documents, pass_by_reference=False)
        if accepted != len(documents):
            raise MachineError(f"Lucene took {accepted} of {len(documents)} segments")
    indexer.close()


def merge_lucene(folder: Path, parts: Sequence[Path]) -> None:
    """Copy the indexes that `write_lucene` made into one; Lucene joins small files on the way.

    What an interrupted call left in the folder is thrown away; the parts stay as they are.
    """
    shutil.rmtree(folder, ignore_errors=True)
    open_directory = java_class("org.apache.lucene.store.FSDirectory").open
    path_of = java_class("java.nio.file.Path").of
    config = java_class("org.apache.lucene.index.IndexWriterConfig")()
    directory = open_directory(path_of(str(folder.absolute())))
    writer = java_class("org.apache.lucene.index.IndexWriter")(directory, config)
    writer.addIndexes(*(open_directory(path_of(str(part.absolute()))) for part in parts))
    writer.close()


class Contents(NamedTuple):
    """Stored contents of a Lucene index, besides the indexed words.

    Attributes:
        terms: Whether it keeps their words as counted (document vectors), which feedback reads.
        raw: The class of Anserini's collections that reads their text as stored; empty if none is.
    """

    segments: int
    terms: bool
    raw: str


class LuceneIndex:
    """An index made by `write_lucene`, or any index made by Anserini."""

    def __init__(self, folder: Path) -> None:
        if not any(folder.glob("segments_*")):
            raise InputError(
                f"{folder}: expected a Lucene index; found none",
                remedy="Build one with `sidelight index build`.",
            )
        self.folder = folder
        # Java's current folder stays the one it was started in.
        self._path = str(folder.absolute())

    @cached_property
    def reader(self) -> Any:
        """Lucene's IndexReader."""
        with java_reads(self.folder):
            return java_class("io.anserini.index.IndexReaderUtils").getReader(self._path)

    @cached_property
    def contents(self) -> Contents:
        """What the index keeps; all of Anserini's keep the same of each segment."""
        with java_reads(self.folder):
            utilities = java_class("io.anserini.index.IndexReaderUtils")
            words = utilities.getFieldInfo(self.reader).get(_TEXT_FIELD)
            # Lucene 10, in pyserini 2, has another name for it.
            kept = "hasTermVectors" if hasattr(words, "hasTermVectors") else "hasVectors"
            terms = bool(words and getattr(words, kept)())
            count = self.reader.numDocs()
            raw = self.reader.storedFields().document(0).get("raw") if count else None
        keys = orjson.loads(raw) if raw else {}
        collection = "MsMarcoV2DocCollection" if "docid" in keys else "JsonCollection"
        return Contents(count, terms, collection if keys else "")

    def some_ids(self, count: int) -> list[str]:
        """Return up to `count` ids from all over the index."""
        found = self.contents.segments
        with JAVA:
            stored = self.reader.storedFields()
            numbers = range(0, found, max(found // count, 1))
            return [stored.document(number).get("id") for number in numbers]

    def searcher(self, bm25: Bm25 = _BM25, feedback: Rm3 | Rocchio | None = None) -> LuceneSearcher:
        """Open a searcher with its own parameters; the files are mapped, so many cost little.

        Feedback raises InputError if the index keeps neither words nor text of its segments.
        """
        if feedback and not self.contents.terms and not self.contents.raw:
            raise InputError(
                f"{self.folder}: RM3 and Rocchio read the words of the best segments; found an "
                "index that keeps neither those nor the text, such as a published `-slim` one",
                remedy="Search with bm25, dense or hybrid, or take the index without `-slim`.",
            )
        with java_reads(self.folder):
            java = java_class("io.anserini.search.SimpleSearcher")(self._path)
            java.set_bm25(*bm25)
            # Without document vectors, Anserini reads the text as stored and analyses it again.
            source = None if self.contents.terms else self.contents.raw
            if isinstance(feedback, Rm3):
                java.set_rm3(source, *feedback, *(False, True))
            elif feedback:
                terms, documents, *weights = feedback
                # The other half of the formula would take segments judged not relevant; there are
                # none.
                negative = (terms, documents)
                java.set_rocchio(source, *negative, *negative, *weights, 0.0, *(False, False))
            if feedback:
                # Anserini opens its searcher at first use, and threads that come together then may
                # find it half open.
                java.get_feedback_terms("first")
                java_class(_TERMS)
                mapper = java_class("com.fasterxml.jackson.databind.ObjectMapper")()
                make = partial(_expanded, java, mapper)
            else:
                make = partial(_plain, java.get_analyzer())
            return LuceneSearcher(self.reader, java.get_similarity(), make)

    def impact_searcher(self, weigh: Callable[[str], Mapping[str, float]]) -> LuceneSearcher:
        """Open a searcher of an index of learned weights of words, made with Anserini's `-impact`.

        A segment scores the sum over words of the query's weight times its own.
        """
        with java_reads(self.folder):
            similarity = java_class("io.anserini.search.similarity.ImpactSimilarity")()
        return LuceneSearcher(self.reader, similarity, lambda text: _weighted(weigh(text)))


class LuceneSearcher(_TopHits):
    """Searches in one way, from any thread; made by `LuceneIndex`."""

    def __init__(self, reader: Any, similarity: Any, make: Callable[[str], Any]) -> None:
        super().__init__(reader, similarity)
        self._make = make
        with JAVA:
            java_class("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(_MAX_QUERY_WORDS)

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits per query."""
        # A lone surrogate, as in an argument that was not UTF-8, cannot pass into Java.
        texts = [query.text.encode(errors="replace").decode() for query in queries]
        found = self._top([partial(self._make, text) for text in texts], k)
        return {query.query_id: hits for query, hits in zip(queries, found, strict=True)}


def _plain(analyzer: Any, text: str) -> Any:
    with JAVA:
        words = java_class("io.anserini.search.query.BagOfWordsQueryGenerator")()
        return words.buildQuery(_TEXT_FIELD, analyzer, text)


def _expanded(java: Any, mapper: Any, text: str) -> Any:
    """Return the query that Anserini searches after feedback: weighted words."""
    found = call_method(java, "get_feedback_terms", text)
    with JAVA:
        return _weighted(orjson.loads(mapper.writeValueAsString(found)) or {})


def _weighted(words: Mapping[str, float]) -> Any:
    """Return the query for any of some words, each with its weight."""
    with JAVA:
        boost = java_class("org.apache.lucene.search.BoostQuery")
        word = java_class("org.apache.lucene.search.TermQuery")
        term = java_class("org.apache.lucene.index.Term")
        any_of = java_class("org.apache.lucene.search.BooleanClause$Occur").SHOULD
        query = java_class("org.apache.lucene.search.BooleanQuery$Builder")()
        for name, weight in sorted(words.items()):
            query.add(boost(word(term(_TEXT_FIELD, name)), float(weight)), any_of)
        return query.build()


_VECTOR_FIELD = "vector"
# Neighbours that a search keeps in view; Anserini's figures for the published indexes use as many.
_MIN_SEEN = 1000


class LuceneVectors(_TopHits):
    """Search of Lucene indexes by inner product, usable from any thread; the files are mapped.

    Folders without vectors, or with vectors of different lengths, raise InputError.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        readers = [LuceneIndex(folder).reader for folder in folders]
        with JAVA:
            lengths = list(map(_dimension, readers))
        for folder, length in zip(folders, lengths, strict=True):
            if length == 0 or length != lengths[0]:
                raise InputError(
                    f"{folder}: expected an HNSW index with vectors of {lengths[0] or 'any'} "
                    f"numbers; found {length or 'no vectors'}",
                    remedy="Name folders made by Anserini from vectors of one model.",
                )
        self.dimension: int = lengths[0]
        with JAVA:
            super().__init__(java_class("org.apache.lucene.index.MultiReader")(*readers))
        self._nearest = java_class("org.apache.lucene.search.KnnFloatVectorQuery")

    def search(self, vectors: NDArray[np.float32], k: int) -> list[list[Hit]]:
        """Return up to `k` hits for each row of `(n_queries, dimension) float32`."""
        seen = max(k, _MIN_SEEN)
        asked = [partial(self._nearest, _VECTOR_FIELD, row, seen) for row in vectors.tolist()]
        return self._top(asked, k)


def _dimension(reader: Any) -> int:
    field = java_class("io.anserini.index.IndexReaderUtils").getFieldInfo(reader).get(_VECTOR_FIELD)
    return field.getVectorDimension() if field else 0
