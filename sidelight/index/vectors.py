"""Vectors of all segments on disk, and exact search over them with FAISS.

`index.faiss` is a flat inner-product index of float32; `ids.npy` holds the segment id of each of
its rows, in the order of ids. Both are mapped, not read, when the index is opened.
"""

from __future__ import annotations

import os
import struct
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.errors import InputError
from sidelight.index.segment_text import passage_text
from sidelight.schemas.search import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.docstore import Docstore
    from sidelight.index.encoder import Encoder

CHUNK = 1024

_IDS = "ids.npy"
_INDEX = "index.faiss"


def write_vectors(
    folder: Path, docstore: Docstore, encoder: Encoder, on_segments: Callable[[int], object]
) -> None:
    """Encode all segments; a call after an interrupted one goes on after its last whole chunk.

    Args:
        folder: Where the two files go, or what an interrupted call left of them.
        docstore: The segments.
        encoder: The same as in the interrupted call.
        on_segments: Called with the number of segments found done, then after each chunk.
    """
    folder.mkdir(exist_ok=True)
    count = len(docstore)
    _write_ids(folder / _IDS, docstore, count)
    ids = np.load(folder / _IDS, mmap_mode="r")
    dimension = encoder.identity().dimension
    header = _flat_header(dimension, count)
    row_bytes = 4 * dimension
    with (folder / _INDEX).open("ab") as stream:
        done = max(stream.tell() - len(header), 0) // row_bytes // CHUNK * CHUNK
        if done:
            stream.truncate(len(header) + done * row_bytes)
        else:
            stream.truncate(0)
            stream.write(header)
        on_segments(done)
        segments = docstore.after(_text(ids[done - 1]) if done else "")
        while chunk := list(islice(segments, CHUNK)):
            vectors = encoder.encode_documents([passage_text(segment) for segment in chunk])
            stream.write(vectors.tobytes())
            stream.flush()
            on_segments(len(chunk))
        os.fsync(stream.fileno())


class VectorIndex:
    """Exact inner-product search, usable from any thread.

    Args:
        folder: Folder made by `write_vectors`.

    Raises:
        InputError: The two files do not belong together.
    """

    def __init__(self, folder: Path) -> None:
        import faiss

        self._ids: NDArray[np.bytes_] = np.load(folder / _IDS, mmap_mode="r")
        self._index: Any = faiss.read_index(str(folder / _INDEX), faiss.IO_FLAG_MMAP_IFC)
        if self._index.ntotal != len(self._ids):
            raise InputError(
                f"{folder}: expected one vector per segment; found {self._index.ntotal} vectors "
                f"and {len(self._ids)} ids",
                remedy="Build the index again.",
            )

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[list[Hit]]:
        """Return up to `k` hits for each row of `(n_queries, dimension) float32`."""
        if not len(vectors):
            return []
        # FAISS rounds a lone query in its own way; with company it is scored like any other.
        asked = vectors if len(vectors) > 1 else np.repeat(vectors, 2, axis=0)
        scores, rows = self._index.search(asked, min(k, len(self)))
        return [
            ranked(
                [
                    Hit(_text(self._ids[row]), float(score))
                    for row, score in zip(found, values, strict=True)
                ]
            )
            for found, values in zip(rows[: len(vectors)], scores[: len(vectors)], strict=True)
        ]


def _write_ids(path: Path, docstore: Docstore, count: int) -> None:
    longest = max((len(segment_id.encode()) for segment_id in docstore.ids()), default=1)
    ids = np.lib.format.open_memmap(path, mode="w+", dtype=f"S{longest}", shape=(count,))
    for row, segment_id in enumerate(docstore.ids()):
        ids[row] = segment_id.encode()
    ids.flush()


def _flat_header(dimension: int, rows: int) -> bytes:
    """Return what FAISS writes before the rows of a flat index, so that they can be streamed.

    FAISS itself writes a flat index from memory only. Its header ends with the number of floats
    (uint64) and has the number of rows (int64) after the format's name and the dimension.
    """
    import faiss

    empty = faiss.serialize_index(faiss.IndexFlatIP(dimension)).tobytes()
    return bytes(
        empty[:8] + struct.pack("<q", rows) + empty[16:-8] + struct.pack("<Q", rows * dimension)
    )


def _text(segment_id: np.bytes_ | bytes) -> str:
    return bytes(segment_id).decode()
