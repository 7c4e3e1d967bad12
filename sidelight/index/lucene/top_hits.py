"""The best hits of a Lucene query: ids and scores alone, as one text out of Java.

Of a hit nothing stored is read: its id comes from the column of ids by which Lucene breaks ties.
Reading hits object by object takes several times as long as the search itself, and where an index
keeps the text of its segments, loading it with every hit takes longer still.
"""

from __future__ import annotations

import os
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import orjson

from sidelight.errors import MachineError
from sidelight.index.lucene.jvm import JAVA, call_method, java_class
from sidelight.schemas.investigation.search import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# As Anserini rounds them, so that runs agree with its own.
_DIGITS = 4


class TopHits:
    """Searches an index of Anserini's, from any thread, several queries at once.

    Args:
        reader: Lucene's IndexReader.
        similarity: How Lucene scores words; its default if None.
    """

    def __init__(self, reader: Any, similarity: Any = None) -> None:
        with JAVA:
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

    def search(self, asked: Sequence[Callable[[], Any]], k: int) -> list[list[Hit]]:
        """Return up to `k` hits for each query, which its function makes as Lucene wants it.

        The functions are called by several threads.

        Raises:
            MachineError: Lucene failed on a query.
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
    return Hit(
        b64decode(name["bytes"])[start : start + name["length"]].decode(), round(score, _DIGITS)
    )
