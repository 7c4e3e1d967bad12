"""Segments by the byte offset that their ids carry: a compressed shard that can be read anywhere.

A shard as published holds each segment at the offset that ends its id, so its text needs no index
of ids. `<name>.zst` is that shard in Zstandard frames of whole lines; any tool unpacks it to the
shard, in which refused lines are blank. `<name>.npy` says where the frames begin. Both are mapped.
"""

from __future__ import annotations

import mmap
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import orjson
from pydantic import ValidationError
from zstandard import ZstdCompressor, ZstdDecompressor

from sidelight.errors import InputError
from sidelight.formats.lines import MAX_LINE_BYTES
from sidelight.index.text.corpus import MS_MARCO, segment_model
from sidelight.schemas.segment import Segment, SegmentId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sidelight.index.text.corpus import ShardLine

SUFFIX = ".zst"

# Some five lines, without entropy coding: what neighbouring windows share is kept once, and a frame
# unpacks in 2 us. Level 3 would save a third of the bytes and take three times as long.
_FRAME_BYTES = 1 << 13
_LEVEL = -5

_parse = segment_model(MS_MARCO).model_validate_json
# Names of a segment's fields, and their keys on a line.
_KEYS = [
    (name, {"segment_id": MS_MARCO.id, "text": MS_MARCO.text}.get(name, name))
    for name in Segment.model_fields
]


def shard_name(place: SegmentId) -> str:
    """Return the name that the ids of one shard share, such as `msmarco_v2.1_doc_16`."""
    return place.document_id.rpartition("_")[0]


def write_offset_store(path: Path, lines: Iterable[ShardLine]) -> int:
    """Write all lines of a shard, blank where there is no segment, and return their segments.

    Args:
        path: A new file with the ending `SUFFIX`; the table of frames goes beside it.
        lines: Every line of the shard; those with a segment have its offset in its id.

    Raises:
        InputError: A line is longer than any that is read.
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
    """The segments of one shard, read-only and usable from any thread.

    Args:
        path: File made by `write_offset_store`.
    """

    def __init__(self, path: Path) -> None:
        table = np.load(path.with_suffix(".npy"), mmap_mode="r")
        self._begins, self._places, self._counts = np.asarray(table)
        with path.open("rb") as stream:
            self._content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return int(self._counts[-1])

    def __iter__(self) -> Iterator[Segment]:
        return map(_segment, self._lines())

    def ids(self) -> Iterator[str]:
        """Yield all ids in the order of the shard."""
        return (orjson.loads(line)[MS_MARCO.id] for line in self._lines())

    def get_at(self, offsets: Iterable[int]) -> Iterator[Segment]:
        """Yield the segments at these byte offsets, by place; where none begins, none comes."""
        places = sorted({offset for offset in offsets if offset < self._begins[-1]})
        frames = np.searchsorted(self._begins, places, side="right") - 1
        unpack = ZstdDecompressor().decompress
        for frame, group in groupby(zip(frames.tolist(), places, strict=True), itemgetter(0)):
            lines, begin = unpack(self._frame(frame)), int(self._begins[frame])
            for _, place in group:
                start = place - begin
                line = lines[start : lines.index(b"\n", start)]
                if lines[start - 1 : start] in {b"", b"\n"} and not line.isspace():
                    yield _segment(line)

    def close(self) -> None:
        """Close the file."""
        self._content.close()

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines with segments."""
        unpack = ZstdDecompressor().decompress
        for frame in range(len(self._begins) - 1):
            yield from (line for line in unpack(self._frame(frame)).split(b"\n") if line.strip())

    def _frame(self, frame: int) -> bytes:
        start, end = self._places[frame : frame + 2]
        return self._content[start:end]


def _segment(line: bytes) -> Segment:
    fields = orjson.loads(line)
    try:
        return Segment.model_validate({name: fields[key] for name, key in _KEYS if key in fields})
    except ValidationError:
        # The reader of shards also takes a number for a text.
        return Segment(**vars(_parse(line)))
