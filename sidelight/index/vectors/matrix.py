"""Matrix of all vectors on disk, in half precision or 8 bits, read a few rows at a time.

`matrix.npy` holds (n, dimension) float16 or int8. For int8, `scales.npy` has for each dimension
the number that an integer step stands for, so that the largest value of a sample is 127. The
vectors of several parts are one matrix, and their ids one list. Files that grow together, a row of
each per vector, resume where they were interrupted.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.files import map_array
from sidelight.index.vectors.part import VectorPart, array_header
from sidelight.index.vectors.profiles import Precision


def merge_ids(parts: Sequence[VectorPart], path: Path) -> None:
    """Write the ids of all parts, in their order, into one file, unless that was done."""
    if path.exists():
        return
    arrays = [np.load(part.ids, mmap_mode="r") for part in parts]
    kind, count = np.result_type(*arrays), sum(map(len, arrays))
    unfinished = path.with_suffix(".part")
    merged = np.lib.format.open_memmap(unfinished, mode="w+", dtype=kind, shape=(count,))
    np.concatenate(arrays, out=merged)
    merged.flush()
    unfinished.replace(path)


class PartRows:
    """The vectors of several parts as one matrix, read in pieces so that none fills the memory.

    Parts with vectors of different lengths, or with another number of ids, raise InputError.
    """

    def __init__(self, parts: Sequence[VectorPart]) -> None:
        self._paths = [part.vectors for part in parts]
        arrays = [np.load(path, mmap_mode="r") for path in self._paths]
        self.dimension: int = arrays[0].shape[1]
        for part, array in zip(parts, arrays, strict=True):
            ids = np.load(part.ids, mmap_mode="r").shape[0]
            if array.shape != (ids, self.dimension):
                raise InputError(
                    f"{part.vectors}: expected {ids} vectors of {self.dimension} numbers; found "
                    f"{array.shape[0]} of {array.shape[1]}",
                    remedy="Make the part again, all parts with one model and one length.",
                )
        self._starts = np.cumsum([0, *(len(array) for array in arrays)])
        self._types = [array.dtype for array in arrays]
        self._offsets = [array.offset for array in arrays]

    def __len__(self) -> int:
        return int(self._starts[-1])

    def blocks(self, first: int, rows: int) -> Iterator[NDArray[np.float32]]:
        """Yield all rows from `first` on, `rows` at a time."""
        for start in range(first, len(self), rows):
            stop = min(start + rows, len(self))
            pieces = [
                self._piece(number, max(start, low) - low, min(stop, high) - low)
                for number, (low, high) in enumerate(pairwise(self._starts.tolist()))
                if low < stop and high > start
            ]
            yield np.concatenate(pieces, dtype=np.float32)

    def sample(self, size: int, seed: int) -> NDArray[np.float32]:
        """Return `size` rows, in their order, that depend on the seed alone."""
        rng = np.random.default_rng(seed)
        drawn = np.sort(rng.choice(len(self), size, replace=False, shuffle=False))
        found = np.empty((size, self.dimension), dtype=np.float32)
        edges = np.searchsorted(drawn, self._starts)
        for number, (low, high) in enumerate(pairwise(edges.tolist())):
            row = np.empty(self.dimension, dtype=self._types[number])
            with self._paths[number].open("rb", buffering=0) as stream:
                for place in range(low, high):
                    own = int(drawn[place] - self._starts[number])
                    stream.seek(self._offsets[number] + own * row.nbytes)
                    stream.readinto(row.data)
                    found[place] = row
        return found

    def _piece(self, number: int, start: int, stop: int) -> NDArray[np.floating]:
        kind = self._types[number]
        return np.fromfile(
            self._paths[number],
            dtype=kind,
            count=(stop - start) * self.dimension,
            offset=self._offsets[number] + start * self.dimension * kind.itemsize,
        ).reshape(-1, self.dimension)


# Rows per step. Products of matrices of one shape round alike, so this number decides results.
BLOCK = 2048


class RowFile(NamedTuple):
    """A file of rows of equal size behind a header."""

    path: Path
    header: bytes
    row_bytes: int


def write_rows(
    files: Sequence[RowFile],
    rows: PartRows,
    convert: Callable[[NDArray[np.float32]], Sequence[NDArray[np.generic]]],
    on_segments: Callable[[int], object],
) -> None:
    """Append what becomes of each vector, after the last whole block that all files have.

    `files` are absent or as an earlier call with the same vectors left them; `convert` turns a
    block of vectors into its rows for each file. `on_segments` is called with the number of rows
    that were there already, then with that of each block.
    """
    with ExitStack() as stack:
        streams = [stack.enter_context(file.path.open("ab")) for file in files]
        found = min(
            (stream.tell() - len(file.header)) // file.row_bytes
            for file, stream in zip(files, streams, strict=True)
        )
        done = min(max(found, 0), len(rows)) // BLOCK * BLOCK
        for file, stream in zip(files, streams, strict=True):
            if done:
                stream.truncate(len(file.header) + done * file.row_bytes)
            else:
                stream.truncate(0)
                stream.write(file.header)
        on_segments(done)
        for block in rows.blocks(done, BLOCK):
            for stream, own in zip(streams, convert(block), strict=True):
                stream.write(np.ascontiguousarray(own).data)
                stream.flush()
            on_segments(len(block))
        for stream in streams:
            os.fsync(stream.fileno())


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

    See `write_rows` for the last argument.
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
    return np.array(map_array(path, "float32", 1)) if path.exists() else None


def packed(vectors: NDArray[np.float32], scales: NDArray[np.float32] | None) -> NDArray[np.generic]:
    """Return vectors as the matrix keeps them: int8 where there are scales, else float16."""
    if scales is None:
        return vectors.astype(np.float16)
    return np.asarray(np.clip(np.rint(vectors / scales), -127, 127), dtype=np.int8)


def matrix_file(path: Path, rows: int, dimension: int, precision: Precision) -> RowFile:
    """Return the matrix as a file that rows are appended to."""
    kind = np.dtype(precision)
    return RowFile(path, array_header(rows, dimension, precision), dimension * kind.itemsize)


# Rows that are scored at once.
_SCORED_AT_ONCE = 256


class NearestRows(NamedTuple):
    """Rows found for one query, best first, with their inner products."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


class Matrix:
    """A matrix on disk: `matrix.npy` in `folder` and, for int8, `scales.npy`.

    `in_order` says that it will be read from front to back, not a row here and a row there.
    """

    def __init__(self, folder: Path, *, in_order: bool = False) -> None:
        self.scales = read_scales(folder)
        kept = map_array(folder / MATRIX, "float16" if self.scales is None else "int8", 2)
        if self.scales is not None and len(self.scales) != kept.shape[1]:
            raise ValueError(f"{len(self.scales)} scales for {kept.shape[1]} numbers a row")
        self._row_bytes = kept.shape[1] * kept.itemsize
        self._start = kept.offset
        # Open as long as the matrix is in use: the disk is asked for rows through it.
        self._descriptor = os.open(folder / MATRIX, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)
        mapped = mmap.mmap(self._descriptor, 0, access=mmap.ACCESS_READ)
        if not in_order:  # what comes after a row on disk is not needed
            mapped.madvise(mmap.MADV_RANDOM)
        self.rows: NDArray[Any] = np.frombuffer(
            mapped, dtype=kept.dtype, offset=self._start, count=kept.size
        ).reshape(kept.shape)
        self.dimension: int = kept.shape[1]
        # Each row as one value: numpy gathers those several times as fast as rows of numbers.
        self._whole = self.rows.view(f"V{self._row_bytes}")[:, 0]

    def __len__(self) -> int:
        return len(self.rows)

    def scaled(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return queries whose product with rows as they are kept is the inner product."""
        return queries if self.scales is None else queries * self.scales

    def best(self, query: NDArray[np.float32], rows: NDArray[np.int64], k: int) -> NearestRows:
        """Return the `k` of these rows with the highest inner products with a query (dimension,).

        Of equal ones the first rows win.
        """
        rows = np.sort(rows)
        # The disk is asked for all rows at once; read one by one, each would wait for the last.
        for place in (self._start + rows * self._row_bytes).tolist():
            os.posix_fadvise(self._descriptor, place, self._row_bytes, os.POSIX_FADV_WILLNEED)
        asked, scores = self.scaled(query), np.empty(len(rows), dtype=np.float32)
        # In memory that stays in the cache of the processor; new one for all rows is slow to get.
        wide = np.empty((min(len(rows), _SCORED_AT_ONCE), self.dimension), dtype=np.float32)
        for start in range(0, len(rows), _SCORED_AT_ONCE):
            found = self._whole[rows[start : start + _SCORED_AT_ONCE]].view(self.rows.dtype)
            part = wide[: len(found) // self.dimension]
            part[:] = found.reshape(part.shape)
            np.dot(part, asked, out=scores[start : start + _SCORED_AT_ONCE])
        order = np.argsort(-scores, kind="stable")[:k]
        return NearestRows(rows[order], scores[order])
