"""A flat index of FAISS: all vectors in single precision, `index.faiss`, mapped when opened."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sidelight.index.vectors.matrix import Found
from sidelight.index.vectors.row_files import RowFile, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.vectors.part_rows import PartRows

INDEX = "index.faiss"


def write_flat(folder: Path, rows: PartRows, on_segments: Callable[[int], object]) -> None:
    """Write `index.faiss`, going on after the last whole block of an interrupted call.

    Args:
        folder: Where it goes, or what that call left of it.
        rows: All vectors.
        on_segments: Called with the number of rows found done, then after each block.
    """
    header = _flat_header(rows.dimension, len(rows))
    file = RowFile(folder / INDEX, header, 4 * rows.dimension)
    write_rows([file], rows, lambda block: [block], on_segments)


class FlatSearch:
    """Exact search of a flat index in place.

    Args:
        folder: Made by `write_flat`.
    """

    def __init__(self, folder: Path) -> None:
        import faiss

        self._index = cast("Any", faiss.read_index(str(folder / INDEX), faiss.IO_FLAG_MMAP_IFC))

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[Found]:
        """Return the `k` best rows for each row of `(n_queries, dimension) float32`."""
        # FAISS rounds a lone query in its own way; with company it is scored like any other.
        asked = vectors if len(vectors) > 1 else np.repeat(vectors, 2, axis=0)
        scores, rows = self._index.search(asked, k)
        return list(map(Found, rows[: len(vectors)], scores[: len(vectors)]))


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
