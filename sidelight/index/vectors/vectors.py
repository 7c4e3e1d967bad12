"""Vectors of all segments on disk, stored and searched as a profile says.

```text
<folder>/ids.npy        the segment id of each row
<folder>/index.faiss    profile exact: a flat index of FAISS; cpu: an inverted file
<folder>/matrix.npy     other profiles: the vectors in fewer bits, with scales.npy for int8
<folder>/profile.json   other profiles: how to search; written last
```

Files are mapped, not read, when the index is opened, except an inverted file; a GPU reads the
matrix. On a GPU, a pass for fewer than some hundred queries at once takes as long as its memory
takes to be read: an approximate index would gain nothing. Several GPUs hold a share of the rows
each.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError, MachineError
from sidelight.files import atomic_write, make_folder, map_array, read_limited
from sidelight.index.vectors import matrix
from sidelight.index.vectors.inverted import INDEX, InvertedSearch, write_inverted
from sidelight.index.vectors.part import VectorPart
from sidelight.index.vectors.profiles import Profile, shape_of
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.evidence import Hit, ranked

if TYPE_CHECKING:
    from torch import Tensor


class FlatSearch:
    """Exact search of a flat index in place."""

    def __init__(self, folder: Path) -> None:
        import faiss

        self._index = cast("Any", faiss.read_index(str(folder / INDEX), faiss.IO_FLAG_MMAP_IFC))
        self.dimension = int(self._index.d)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[matrix.NearestRows]:
        """Return the `k` best rows for each row of `(n_queries, dimension) float32`."""
        # FAISS rounds a lone query in its own way; with company it is scored like any other.
        asked = vectors if len(vectors) > 1 else np.repeat(vectors, 2, axis=0)
        scores, rows = self._index.search(asked, k)
        return list(map(matrix.NearestRows, rows[: len(vectors)], scores[: len(vectors)]))


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


# Scores held at once on a GPU: 1 GiB in half precision.
_SCORES = 1 << 29
# Rows copied to a GPU at once.
_ROWS = 1 << 20
# Scores are rounded to half precision; among twice as many the best are found again.
_CANDIDATES = 2


class GpuSearch:
    """Scores all rows of a matrix for every query, on all GPUs or the devices that are named.

    MachineError is raised if there is no GPU, or if the matrix does not fit.
    """

    def __init__(self, folder: Path, devices: Sequence[str] = ()) -> None:
        import torch

        devices = devices or [f"cuda:{number}" for number in range(torch.cuda.device_count())]
        if not devices:
            raise MachineError(
                f"{folder}: vectors of a gpu profile are searched on a GPU; torch finds none",
                remedy="Build the index with a cpu profile, or install torch for CUDA.",
            )
        self._matrix = matrix.Matrix(folder, in_order=True)
        rows, count = self._matrix.rows, len(devices)
        self.dimension = self._matrix.dimension
        edges = [len(rows) * number // count for number in range(count + 1)]
        try:
            self._shards = [
                DeviceRows(on_device(rows[low:high], device), low)
                for (low, high), device in zip(pairwise(edges), devices, strict=True)
            ]
        except torch.OutOfMemoryError as error:
            raise MachineError(
                f"{folder}: {rows.nbytes / 1e9:.1f} GB of vectors do not fit into {count} GPU(s)",
                remedy="Use more GPUs, or shorter vectors; `sidelight index plan` says how many.",
            ) from error

    def __len__(self) -> int:
        return len(self._matrix)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[matrix.NearestRows]:
        """Return the `k` best rows for each row of `(n_queries, dimension) float32`."""
        queries = self._matrix.scaled(vectors)
        # Work on all devices begins before the first is waited for.
        begun = [shard.begin(queries, k) for shard in self._shards]
        scores, rows = (
            np.concatenate([np.asarray(pair[side].cpu()) for pair in begun], axis=1)
            for side in range(2)
        )
        found = []
        for own_scores, own_rows in zip(scores, rows, strict=True):
            order = np.lexsort((own_rows, -own_scores))[:k]
            found.append(matrix.NearestRows(own_rows[order], own_scores[order]))
        return found


def on_device(rows: NDArray[np.generic], device: str) -> Tensor:
    """Copy rows, piece by piece, to a device."""
    import torch

    copied = torch.empty(rows.shape, dtype=getattr(torch, rows.dtype.name), device=device)
    for start in range(0, len(rows), _ROWS):
        copied[start : start + _ROWS] = torch.from_numpy(np.array(rows[start : start + _ROWS]))
    return copied


class DeviceRows:
    """Rows of a matrix on one device, (n, dimension) float16 or int8.

    `first` is the number of the first of them in the whole matrix.
    """

    def __init__(self, rows: Tensor, first: int) -> None:
        self._rows = rows
        self._first = first

    def begin(self, queries: NDArray[np.float32], k: int) -> tuple[Tensor, Tensor]:
        """Return scores and rows (n_queries, at most k) as tensors of the device, best first."""
        import torch

        asked = torch.from_numpy(queries).to(self._rows.device)
        # Half precision has few digits near zero, where the scales of int8 put queries.
        half = (asked / asked.abs().amax(dim=1, keepdim=True)).to(torch.float16)
        candidates = self._candidates(half, _CANDIDATES * k)
        exact = torch.einsum("qd,qcd->qc", asked, self._rows[candidates].to(torch.float32))
        scores, kept = torch.topk(exact, min(k, candidates.shape[1]), dim=1)
        return scores, candidates.gather(1, kept) + self._first

    def _candidates(self, queries: Tensor, wanted: int) -> Tensor:
        """Return the rows (n_queries, at most `wanted`) that score best in half precision."""
        import torch

        best = torch.empty(len(queries), 0, dtype=torch.float16, device=self._rows.device)
        rows = best.to(torch.int64)
        # int8 is turned into half precision on the way, and takes room like scores.
        width = self._rows.shape[1] if self._rows.dtype == torch.int8 else 1
        step = _SCORES // max(len(queries), width)
        for start in range(0, len(self._rows), step):
            block = self._rows[start : start + step].to(torch.float16)
            scores, found = torch.topk(queries @ block.T, min(wanted, len(block)), dim=1)
            best, rows = torch.cat([best, scores], 1), torch.cat([rows, found + start], 1)
            best, kept = torch.topk(best, min(wanted, best.shape[1]), dim=1)
            rows = rows.gather(1, kept)
        return rows


_IDS = "ids.npy"
_PROFILE = "profile.json"


class SearchSettings(Value):
    """Search parameters of vectors whose profile is not `exact`, as in `Profile` and `Shape`."""

    profile: str
    kind: Literal["inverted", "gpu"]
    probes: int
    candidates: int


def write_vectors(
    folder: Path,
    parts: Sequence[VectorPart],
    profile: Profile,
    on_segments: Callable[[int], object],
) -> None:
    """Merge parts into one index; a call after an interrupted one goes on within its step.

    Rows follow each other in the order of the parts; see `write_rows` for the last argument.
    """
    rows = matrix.PartRows(parts)
    shape = shape_of(profile, len(rows), rows.dimension)
    make_folder(folder)
    matrix.merge_ids(parts, folder / _IDS)
    if profile.kind == "flat":
        header = _flat_header(rows.dimension, len(rows))
        file = matrix.RowFile(folder / INDEX, header, 4 * rows.dimension)
        matrix.write_rows([file], rows, lambda block: [block], on_segments)
        return
    if profile.kind == "inverted":
        write_inverted(folder, rows, shape, on_segments)
    else:
        matrix.write_matrix(folder, rows, shape.precision, on_segments)
    settings = SearchSettings(
        profile=profile.name,
        kind=profile.kind,
        probes=shape.probes,
        candidates=profile.candidates,
    )
    atomic_write(folder / _PROFILE, settings.model_dump_json(indent=2) + "\n")


class VectorIndex:
    """Search by inner product in a folder made by `write_vectors`, usable from any thread."""

    def __init__(self, folder: Path) -> None:
        self._ids: NDArray[np.bytes_] = map_array(folder / _IDS, "S", 1)
        self._search = _open(folder)
        self.dimension = self._search.dimension
        if len(self._search) != len(self._ids):
            raise InputError(
                f"{folder}: expected one vector per segment; found {len(self._search)} vectors "
                f"and {len(self._ids)} ids",
                remedy="Build the index again.",
            )

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[list[Hit]]:
        """Return up to `k` hits for each row of `(n_queries, dimension) float32`."""
        if not len(vectors):
            return []
        return [
            ranked(
                [
                    Hit(segment_id.decode(errors="replace"), score)
                    for segment_id, score in zip(
                        self._ids[rows].tolist(), scores.tolist(), strict=True
                    )
                ]
            )
            for rows, scores in self._search.search(vectors, min(k, len(self)))
        ]


def _open(folder: Path) -> FlatSearch | GpuSearch | InvertedSearch:
    path = folder / _PROFILE
    if not path.exists():
        return FlatSearch(folder)
    settings = SearchSettings.model_validate_json(read_limited(path), strict=True)
    if settings.kind == "gpu":
        return GpuSearch(folder)
    return InvertedSearch(folder, probes=settings.probes, candidates=settings.candidates)
