"""What a run read from its index and its encoder, recorded so that it can be read again.

```text
<folder>/searches.jsonl   one search per line: its words, how many hits were asked for, and the hits
<folder>/segments.jsonl   one segment per line
<folder>/texts.jsonl      one text per line, as a JSON string
<folder>/vectors.npy      the vector of each text, (n_texts, dimension) float32
```

Everything is sorted, so the same run is recorded in the same bytes. Vectors are kept because
processors round them differently; with them a replay needs no index, no Java and no encoder.
"""

from __future__ import annotations

from tokenize import TokenError
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import orjson

from sidelight.build.investigation import Sources
from sidelight.errors import InputError
from sidelight.files import MAX_TABLE_BYTES, read_json, read_limited
from sidelight.schemas.investigation.search import Hit
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.schemas.investigation.search import Query

# What readers of JSON, of numpy's headers and of our values raise.
_NOT_EVIDENCE = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, AttributeError),
    *(TokenError, SyntaxError, MemoryError, OverflowError),
)

K = TypeVar("K")
V = TypeVar("V")


class Recording:
    """Searches, segments and vectors, by what was asked for.

    Attributes:
        searches: The hits of each search, by its words and how many were asked for.
        segments: By id.
        vectors: By text, each `(dimension,) float32`.
    """

    def __init__(self) -> None:
        self.searches: dict[tuple[str, int], list[Hit]] = {}
        self.segments: dict[str, Segment] = {}
        self.vectors: dict[str, NDArray[np.float32]] = {}

    def write(self, folder: Path) -> None:
        """Write the four files into a new folder."""
        folder.mkdir(parents=True)
        searches = [
            {"query": text, "k": k, "hits": [tuple(hit) for hit in self.searches[text, k]]}
            for text, k in sorted(self.searches)
        ]
        segments = [self.segments[name].model_dump() for name in sorted(self.segments)]
        texts = sorted(self.vectors)
        _write_lines(folder / "searches.jsonl", searches)
        _write_lines(folder / "segments.jsonl", segments)
        _write_lines(folder / "texts.jsonl", texts)
        vectors = np.array([self.vectors[text] for text in texts], dtype=np.float32)
        np.save(folder / "vectors.npy", vectors, allow_pickle=False)

    @classmethod
    def read(cls, folder: Path) -> Recording:
        """Read what `write` wrote.

        Raises:
            InputError: A file is missing or holds something else.
        """
        found = cls()
        try:
            for search in _read_lines(folder / "searches.jsonl"):
                hits = [Hit(segment_id, score) for segment_id, score in search["hits"]]
                found.searches[search["query"], search["k"]] = hits
            for fields in _read_lines(folder / "segments.jsonl"):
                found.segments[fields["segment_id"]] = Segment(**fields)
            texts = _read_lines(folder / "texts.jsonl")
            vectors = np.load(folder / "vectors.npy", allow_pickle=False)
            found.vectors.update(zip(texts, vectors, strict=True))
        except _NOT_EVIDENCE as error:
            raise InputError(
                f"{folder}: expected recorded evidence; found: {error}",
                remedy="Take the bundle from where it came from again.",
            ) from error
        return found


def recording(sources: Sources, record: Recording) -> Sources:
    """Return sources that note all they are asked, and what they answer."""

    def lookup(segment_ids: Sequence[str]) -> Sequence[Segment]:
        segments = sources.lookup(segment_ids)
        record.segments.update(zip(segment_ids, segments, strict=True))
        return segments

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = sources.encode(texts)
        record.vectors.update(zip(texts, vectors, strict=True))
        return vectors

    return Sources(_RecordingRetriever(sources, record), lookup, encode)


def replaying(record: Recording) -> Sources:
    """Return sources that answer what was recorded, and raise InputError for anything else."""

    def lookup(segment_ids: Sequence[str]) -> Sequence[Segment]:
        return [_recorded(record.segments, name, "segment") for name in segment_ids]

    dimension = next((len(vector) for vector in record.vectors.values()), 0)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [_recorded(record.vectors, text, "vector of") for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), dimension)

    return Sources(_ReplayingRetriever(record), lookup, encode)


class _RecordingRetriever:
    def __init__(self, sources: Sources, record: Recording) -> None:
        self.name = sources.retriever.name
        self._retriever = sources.retriever
        self._record = record

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        hits = self._retriever.search(queries, k)
        for query in queries:
            self._record.searches[query.text, k] = hits[query.query_id]
        return hits


class _ReplayingRetriever:
    name = "recorded"

    def __init__(self, record: Recording) -> None:
        self._record = record

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        searches = self._record.searches
        return {query.query_id: _recorded(searches, (query.text, k), "search") for query in queries}


def _recorded(kept: dict[K, V], key: K, what: str) -> V:
    if key not in kept:
        raise InputError(f"the recorded run made no use of the {what} {str(key)[:100]!r}")
    return kept[key]


def _write_lines(path: Path, values: Iterable[object]) -> None:
    with path.open("wb") as stream:
        stream.writelines(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE) for value in values)


def _read_lines(path: Path) -> list[Any]:
    return [read_json(line) for line in read_limited(path, MAX_TABLE_BYTES).splitlines()]
