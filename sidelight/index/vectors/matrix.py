"""All vectors as one matrix on disk, in half precision or 8 bits, read a few rows at a time.

`matrix.npy` holds (n, dimension) float16 or int8. For int8, `scales.npy` has for each dimension
the number that an integer step stands for, so that the largest value of a sample is 127.
"""

from __future__ import annotations

import mmap
import os
import weakref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.index.vectors.part import array_header
from sidelight.index.vectors.row_files import RowFile, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.vectors.part_rows import PartRows
    from sidelight.index.vectors.profiles import Precision

MATRIX = "matrix.npy"
MATRIX_PART = "matrix.part"
SCALES = "scales.npy"

_SAMPLE = 65_536
_SEED = 2025
# A dimension that is zero throughout has a scale, too.
_SMALLEST = np.float32(1e-30)


def write_matrix(
    folder: Path, rows: PartRows, precision: Precision, on_segments: Callable[[int], object]
) -> None:
    """Write a matrix, going on after the last whole block of an interrupted call.

    Args:
        folder: Where it goes, or what that call left of it.
        rows: All vectors.
        precision: float16 or int8.
        on_segments: Called with the number of rows found done, then after each block.
    """
    if (folder / MATRIX).exists():
        on_segments(len(rows))
        return
    if precision == "int8" and not (folder / SCALES).exists():
        write_scales(folder, rows.sample(min(_SAMPLE, len(rows)), _SEED))
    scales = read_scales(folder)
    file = matrix_file(folder / MATRIX_PART, len(rows), rows.dimension, precision)
    write_rows([file], rows, lambda block: [packed(block, scales)], on_segments)
    file.path.replace(folder / MATRIX)


def write_scales(folder: Path, sample: NDArray[np.float32]) -> None:
    """Write the scales of int8 for vectors like those of the sample."""
    np.save(folder / SCALES, np.maximum(np.abs(sample).max(axis=0), _SMALLEST) / np.float32(127))


def read_scales(folder: Path) -> NDArray[np.float32] | None:
    """Return the scales of int8, or None where the matrix is of another precision."""
    path = folder / SCALES
    return np.load(path) if path.exists() else None


def packed(vectors: NDArray[np.float32], scales: NDArray[np.float32] | None) -> NDArray[np.generic]:
    """Return vectors as the matrix keeps them: int8 where there are scales, else float16."""
    if scales is None:
        return vectors.astype(np.float16)
    return np.asarray(np.clip(np.rint(vectors / scales), -127, 127), dtype=np.int8)


def matrix_file(path: Path, rows: int, dimension: int, precision: Precision) -> RowFile:
    """Return the matrix as a file that rows are appended to."""
    kind = np.dtype(precision)
    return RowFile(path, array_header(rows, dimension, precision), dimension * kind.itemsize)


class Found(NamedTuple):
    """Rows found for one query, best first, with their inner products."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


class Matrix:
    """A matrix on disk.

    Args:
        folder: Has `matrix.npy` and, for int8, `scales.npy`.
        in_order: It will be read from front to back, not a row here and a row there.
    """

    def __init__(self, folder: Path, *, in_order: bool = False) -> None:
        kept = np.load(folder / MATRIX, mmap_mode="r")
        self.scales = read_scales(folder)
        self._row_bytes = kept.shape[1] * kept.itemsize
        self._start = kept.offset
        # Open as long as the matrix is in use: the disk is asked for rows through it.
        self._descriptor = os.open(folder / MATRIX, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)
        mapped = mmap.mmap(self._descriptor, 0, access=mmap.ACCESS_READ)
        if not in_order:  # what comes after a row on disk is not needed
            mapped.madvise(mmap.MADV_RANDOM)
        self.rows = np.frombuffer(
            mapped, dtype=kept.dtype, offset=self._start, count=kept.size
        ).reshape(kept.shape)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.rows.shape[1])

    def scaled(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return queries whose product with rows as they are kept is the inner product."""
        return queries if self.scales is None else queries * self.scales

    def best(self, query: NDArray[np.float32], rows: NDArray[np.int64], k: int) -> Found:
        """Return the `k` of these rows with the highest inner products with a query (dimension,).

        Of equal ones the first rows win.
        """
        rows = np.sort(rows)
        self._ask_for(rows)
        scores = self.rows[rows].astype(np.float32) @ self.scaled(query)
        order = np.argsort(-scores, kind="stable")[:k]
        return Found(rows[order], scores[order])

    def _ask_for(self, rows: NDArray[np.int64]) -> None:
        """Let the disk read all rows at once; touched one by one they would wait for each other."""
        for place in (self._start + rows * self._row_bytes).tolist():
            os.posix_fadvise(self._descriptor, place, self._row_bytes, os.POSIX_FADV_WILLNEED)
