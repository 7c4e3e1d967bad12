"""Document stores that map segment ids to segments: offset files, SQLite, or a Lucene index.

Offset files and SQLite need no JVM. A shard as published holds each segment at the byte offset that
ends its id, so it needs no index of ids. `<name>.zst` is that shard in Zstandard frames of whole
lines; any tool unpacks it to the shard, in which refused lines are blank. `<name>.npy` says where
the frames begin. Both are mapped. Segments under other ids are kept in one SQLite table in the
order of ids. Where there is no document store, text comes from a Lucene index that stores it.
"""

from __future__ import annotations

import mmap
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import orjson
from pydantic import TypeAdapter, ValidationError
from zstandard import ZstdCompressor, ZstdDecompressor, ZstdError, frame_content_size

from sidelight.errors import InputError
from sidelight.files import check_tables, map_array
from sidelight.formats.lines import MAX_LINE_BYTES
from sidelight.index.lucene.jvm import java_class
from sidelight.index.lucene.segments import LuceneIndex
from sidelight.index.text.corpus import MS_MARCO, CorpusFields, ShardLine, segment_model
from sidelight.schemas.segment import Segment, SegmentId, parse_segment_id

SUFFIX = ".zst"

# Some five lines, without entropy coding: what neighbouring windows share is kept once, and a frame
# unpacks in 2 us. Level 3 would save a third of the bytes and take three times as long.
_FRAME_BYTES = 1 << 13
_LEVEL = -5

_parse = segment_model(MS_MARCO).model_validate_json
_check_all = TypeAdapter(list[Segment]).validate_python
# Names of a segment's fields, and their keys on a line.
_KEYS = [
    (name, {"segment_id": MS_MARCO.id, "text": MS_MARCO.text}.get(name, name))
    for name in Segment.model_fields
]


def shard_name(place: SegmentId) -> str:
    """Return the name that the ids of one shard share, such as `msmarco_v2.1_doc_16`."""
    return place.document_id.rpartition("_")[0]


def write_offset_store(path: Path, lines: Iterable[ShardLine]) -> int:
    """Write all lines of a shard, blank where there is no segment; return the number of segments.

    `path` is a new file with the ending `SUFFIX`; the table of frames goes beside it. `lines` has
    every line of the shard; the id of each segment ends with the offset of its line.
    """
    compress = ZstdCompressor(_LEVEL).compress
    # Where each frame begins: in the shard, in the file, and in the count of segments.
    table = [(0, 0, 0)]
    segments = begin = 0
    frame = bytearray()
    with path.open("wb") as stream:

        def end_frame() -> None:
            stream.write(compress(frame))
            table.append((begin + len(frame), stream.tell(), segments))

        for (number, offset, content, size), segment in lines:
            if size > MAX_LINE_BYTES:
                raise InputError(
                    f"{path.stem}: line {number} has {size} bytes, more than any of a collection",
                    remedy="Fetch the shard again; if it is not the one published, rename it.",
                )
            if len(frame) >= _FRAME_BYTES:
                end_frame()
                begin = offset
                frame.clear()
            line = content.removesuffix(b"\n")
            frame += (line if segment else b" " * len(line)) + b"\n"
            segments += segment is not None
        end_frame()
    np.save(path.with_suffix(".npy"), np.array(table, dtype=np.int64).T)
    return segments


class OffsetStore:
    """The segments in a file of `write_offset_store`, read-only and usable from any thread.

    If the file is something else, the constructor and each method raise InputError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _of_a_store(path):
            table = np.asarray(map_array(path.with_suffix(".npy"), "int64", 2))
            if table[:, 0].any() or (np.diff(table) < 0).any():
                raise ValueError("its frames do not follow each other")
            self._begins, self._places, self._counts = table
            with path.open("rb") as stream:
                self._content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return int(self._counts[-1])

    def __iter__(self) -> Iterator[Segment]:
        with _of_a_store(self._path):
            for lines in self._lines():
                yield from _segments_of(lines)

    def ids(self) -> Iterator[str]:
        """Yield all ids in the order of the shard."""
        with _of_a_store(self._path):
            for line in chain.from_iterable(self._lines()):
                yield orjson.loads(line)[MS_MARCO.id]

    def get_at(self, offsets: Iterable[int]) -> list[Segment]:
        """Return the segments at these byte offsets, by place; where none begins, none comes."""
        places = np.array(sorted({one for one in offsets if one < self._begins[-1]}), np.int64)
        frames = np.searchsorted(self._begins, places, side="right") - 1
        starts = places - self._begins[frames]
        bounds = self._places[frames], self._places[frames + 1]
        unpack = ZstdDecompressor().decompress
        found, unpacked, lines = [], -1, b""
        with _of_a_store(self._path):
            for start, begin, end in zip(*(one.tolist() for one in (starts, *bounds)), strict=True):
                if begin != unpacked:
                    lines, unpacked = unpack(self._frame(begin, end)), begin
                line = lines[start : lines.index(b"\n", start)]
                if lines[start - 1 : start] in {b"", b"\n"} and not line.isspace():
                    found.append(line)
            return _segments_of(found)

    def close(self) -> None:
        """Close the file."""
        self._content.close()

    def _lines(self) -> Iterator[list[bytes]]:
        """Yield the lines with segments, those of a frame together."""
        unpack = ZstdDecompressor().decompress
        for begin, end in pairwise(self._places.tolist()):
            yield [line for line in unpack(self._frame(begin, end)).split(b"\n") if line.strip()]

    def _frame(self, begin: int, end: int) -> bytes:
        """Return a frame as it is packed, unless it unpacks to more than a frame holds."""
        packed = self._content[begin:end]
        if frame_content_size(packed) > _FRAME_BYTES + MAX_LINE_BYTES:
            raise ValueError("a frame that unpacks to more than any of a collection")
        return packed


@contextmanager
def _of_a_store(path: Path) -> Iterator[None]:
    """Say of a store that holds something else which file it is."""
    try:
        yield
    except (OSError, ZstdError, LookupError, TypeError, ValueError, sqlite3.DatabaseError) as error:
        reason = str(getattr(error, "strerror", None) or error).partition("\n")[0]
        raise InputError(
            f"{path}: cannot be read: {reason}",
            remedy="Copy the index again, or delete it and build it again.",
        ) from error


def _segments_of(lines: Sequence[bytes]) -> list[Segment]:
    found = map(orjson.loads, lines)
    try:
        return _check_all([{name: one[key] for name, key in _KEYS if key in one} for one in found])
    except ValidationError:
        # The reader of shards also takes a number for a text.
        return [Segment(**vars(_parse(line))) for line in lines]


_FIELDS = tuple(Segment.model_fields)
_COLUMNS = ", ".join(_FIELDS)
_INSERT = f"INSERT OR IGNORE INTO segments VALUES ({', '.join('?' * len(_FIELDS))})"  # noqa: S608
_PAGE = 1000
# Rows of a table without rowids lie in the tree itself, which wants pages that hold many of them.
_STORE_SCHEMA = f"""
PRAGMA page_size = 32768;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE segments (
    {" NOT NULL, ".join(_FIELDS)} NOT NULL, PRIMARY KEY (segment_id)
) WITHOUT ROWID;
"""


class SqliteWriter:
    """A new store, one segment after another; memory does not grow with it.

    No journal is kept: an interrupted file is to be thrown away.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.executescript(_STORE_SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.commit()
        self._connection.close()

    def add(self, segment: Segment) -> bool:
        """Add a segment and return True, or False if there is one of its id already."""
        row = tuple(getattr(segment, field) for field in _FIELDS)
        return bool(self._connection.execute(_INSERT, row).rowcount)


class SqliteStore:
    """The segments in a file of `SqliteWriter`, read-only and usable from any thread.

    If the file is something else, the constructor and each method raise InputError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # Immutable: SQLite then takes no locks and looks for no journal, even on read-only disks.
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._lock = threading.Lock()
        with _of_a_store(path):
            check_tables(self._connection)

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM segments")[0][0])

    def __iter__(self) -> Iterator[Segment]:
        return self._segments(self._all(_COLUMNS))

    def ids(self) -> Iterator[str]:
        """Yield all ids in order."""
        return (segment_id for (segment_id,) in self._all("segment_id"))

    def get(self, segment_ids: Iterable[str]) -> Iterator[Segment]:
        """Yield the segments of these ids in the order of ids; unknown ids are left out."""
        query = (
            f"SELECT {_COLUMNS} FROM segments "  # noqa: S608
            "WHERE segment_id IN (SELECT value FROM json_each(?))"
        )
        return self._segments(self._rows(query, orjson.dumps(list(segment_ids)).decode()))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _all(self, columns: str) -> Iterator[tuple[str, ...]]:
        """Yield these columns of all rows, of which the first is the id, in order."""
        last = ""
        query = f"SELECT {columns} FROM segments WHERE segment_id > ? ORDER BY segment_id LIMIT ?"  # noqa: S608
        while rows := self._rows(query, last, _PAGE):
            yield from rows
            last = rows[-1][0]

    def _rows(self, query: str, *values: object) -> list[tuple[str, ...]]:
        with _of_a_store(self._path), self._lock:
            return self._connection.execute(query, values).fetchall()

    def _segments(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[Segment]:
        with _of_a_store(self._path):
            for row in rows:
                yield Segment(**dict(zip(_FIELDS, row, strict=True)))


# Keeps the segments whose ids do not say where they are.
SEGMENTS = "segments.sqlite"


def open_store(path: Path) -> OffsetStore | SqliteStore:
    """Open one of the stores of a `Docstore`."""
    return SqliteStore(path) if path.name == SEGMENTS else OffsetStore(path)


class SegmentTexts:
    """Segment ids to segments, usable from any thread: a base class of all stores of an index."""

    def __contains__(self, segment_id: object) -> bool:
        return isinstance(segment_id, str) and segment_id in self.find([segment_id])

    def __iter__(self) -> Iterator[Segment]:
        """Yield all segments; none where they cannot be listed."""
        return iter(())

    def get_many(self, segment_ids: Sequence[str]) -> list[Segment]:
        """Return segments in the order asked for; each file is read once, front to back.

        InputError is raised if an id has no segment, and names the first such id.
        """
        found = self.find(segment_ids)
        for segment_id in segment_ids:
            if segment_id not in found:
                raise InputError(
                    f"the index does not hold the segment {segment_id!r}",
                    remedy="Use the index that the id comes from.",
                )
        return [found[segment_id] for segment_id in segment_ids]

    def find(self, segment_ids: Sequence[str]) -> dict[str, Segment]:
        """Return those of some segments that there are, by their ids."""
        raise NotImplementedError


class Docstore(SegmentTexts):
    """All segments of an index, read-only.

    `folder` holds an `OffsetStore` for each published shard, a `SqliteStore` for all other
    segments, or both; `paths` are these stores in the order of their segments. Segments are in the
    order of their shards' names, and within a shard in that of its lines; those of the
    `SqliteStore`, whose ids do not say where they are, come last, in the order of ids.
    """

    def __init__(self, folder: Path) -> None:
        shards, others = sorted(folder.glob(f"*{SUFFIX}")), list(folder.glob(SEGMENTS))
        self.paths = [*shards, *others]
        self._shards = {path.name.removesuffix(SUFFIX): OffsetStore(path) for path in shards}
        self._others = SqliteStore(others[0]) if others else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return sum(map(len, self._stores))

    def __iter__(self) -> Iterator[Segment]:
        return chain.from_iterable(self._stores)

    def close(self) -> None:
        """Close all files."""
        for store in self._stores:
            store.close()

    @property
    def _stores(self) -> list[OffsetStore | SqliteStore]:
        return [*self._shards.values(), *([self._others] if self._others else [])]

    def find(self, segment_ids: Sequence[str]) -> dict[str, Segment]:
        """Return those of some segments that there are, by their ids."""
        offsets: dict[str, list[int]] = {}
        others = []
        for segment_id in segment_ids:
            place = parse_segment_id(segment_id)
            if place and (name := shard_name(place)) in self._shards:
                offsets.setdefault(name, []).append(place.offset)
            else:
                others.append(segment_id)
        found = [self._shards[name].get_at(places) for name, places in offsets.items()]
        if others and self._others:
            found.append(list(self._others.get(others)))
        return {segment.segment_id: segment for segment in chain.from_iterable(found)}


_FIELDS_OF = {
    "MsMarcoV2DocCollection": MS_MARCO,
    "JsonCollection": CorpusFields(id="id", text="contents"),
}


class RawText(SegmentTexts):
    """The segments of a Lucene index that stores their text, read one by one."""

    def __init__(self, index: LuceneIndex) -> None:
        if not index.contents.raw:
            raise InputError(
                f"{index.folder}: expected an index that stores the text of its segments; found "
                "one that does not",
                remedy="Build the index with the shards, too: sidelight index build SHARD... "
                "--lucene DIR",
            )
        self._index = index
        self._raw_of = java_class("io.anserini.index.IndexReaderUtils").documentRaw
        self._parse = segment_model(_FIELDS_OF[index.contents.raw]).model_validate_json

    def __len__(self) -> int:
        return self._index.contents.segments

    def __contains__(self, segment_id: object) -> bool:
        return isinstance(segment_id, str) and bool(self._raw_of(self._index.reader, segment_id))

    def close(self) -> None:
        """Do nothing: the index stays open."""

    def find(self, segment_ids: Sequence[str]) -> dict[str, Segment]:
        """Return those of some segments that there are, by their ids."""
        raws = ((name, self._raw_of(self._index.reader, name)) for name in segment_ids)
        return {name: Segment(**vars(self._parse(raw))) for name, raw in raws if raw is not None}
