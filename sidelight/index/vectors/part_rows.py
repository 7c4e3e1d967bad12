"""The vectors of several parts as one matrix, and their ids as one list."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.vectors.part import VectorPart


def merge_ids(parts: Sequence[VectorPart], path: Path) -> int:
    """Write the ids of all parts, in their order, into one file and return their number."""
    arrays = [np.load(part.ids, mmap_mode="r") for part in parts]
    longest = max(array.dtype.itemsize for array in arrays)
    count = sum(len(array) for array in arrays)
    if not path.exists():
        unfinished = path.with_suffix(".part")
        merged = np.lib.format.open_memmap(
            unfinished, mode="w+", dtype=f"S{longest}", shape=(count,)
        )
        start = 0
        for array in arrays:
            merged[start : start + len(array)] = array
            start += len(array)
        merged.flush()
        unfinished.replace(path)
    return count


class PartRows:
    """The vectors of several parts as one matrix, read in pieces so that none fills the memory.

    Args:
        parts: In the order of their rows.

    Raises:
        InputError: Parts differ in length of vectors, or one has more ids than vectors.
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
