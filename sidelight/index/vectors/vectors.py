"""Vectors of all segments on disk, stored and searched as a profile says.

```text
<folder>/ids.npy        the segment id of each row
<folder>/index.faiss    profile exact: a flat index of FAISS; cpu: an inverted file
<folder>/matrix.npy     other profiles: the vectors in fewer bits, with scales.npy for int8
<folder>/profile.json   other profiles: how to search; written last
```

Files are mapped, not read, when the index is opened, except an inverted file; a GPU reads the
matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from sidelight.errors import InputError
from sidelight.files import atomic_write, make_folder, read_limited
from sidelight.index.vectors.flat import FlatSearch, GpuSearch, write_flat
from sidelight.index.vectors.inverted import InvertedSearch, write_inverted
from sidelight.index.vectors.matrix import PartRows, merge_ids, write_matrix
from sidelight.index.vectors.profiles import shape_of
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.evidence import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.vectors.matrix import NearestRows
    from sidelight.index.vectors.part import VectorPart
    from sidelight.index.vectors.profiles import Profile

_IDS = "ids.npy"
_PROFILE = "profile.json"


class SearchSettings(Value):
    """Search parameters of vectors whose profile is not `exact`.

    Attributes:
        profile: Its name.
        kind: As in the profile.
        probes: Lists that a query looks into.
        candidates: How many times the hits asked for are scored again.
    """

    profile: str
    kind: Literal["inverted", "gpu"]
    probes: int
    candidates: int


class _Search(Protocol):
    @property
    def dimension(self) -> int: ...

    def __len__(self) -> int: ...

    def search(self, vectors: NDArray[np.float32], k: int) -> list[NearestRows]: ...


def write_vectors(
    folder: Path,
    parts: Sequence[VectorPart],
    profile: Profile,
    on_segments: Callable[[int], object],
) -> None:
    """Merge parts into one index; a call after an interrupted one goes on within its step.

    Args:
        folder: Made if need be, or what an interrupted call with the same arguments left.
        parts: Made anywhere. Rows follow each other in their order.
        profile: How to keep them.
        on_segments: Called with the number of segments found done, then after each block.

    Raises:
        InputError: Parts do not belong together.
        UsageError: The profile cannot hold such vectors.
    """
    rows = PartRows(parts)
    shape = shape_of(profile, len(rows), rows.dimension)
    make_folder(folder)
    merge_ids(parts, folder / _IDS)
    if profile.kind == "flat":
        write_flat(folder, rows, on_segments)
        return
    if profile.kind == "inverted":
        write_inverted(folder, rows, shape, on_segments)
    else:
        write_matrix(folder, rows, shape.precision, on_segments)
    settings = SearchSettings(
        profile=profile.name,
        kind=profile.kind,
        probes=shape.probes,
        candidates=profile.candidates,
    )
    atomic_write(folder / _PROFILE, settings.model_dump_json(indent=2) + "\n")


class VectorIndex:
    """Search by inner product, usable from any thread.

    Args:
        folder: Folder made by `write_vectors`.

    Raises:
        InputError: The files do not belong together.
        MachineError: The profile needs a GPU, and there is none.
    """

    def __init__(self, folder: Path) -> None:
        self._ids: NDArray[np.bytes_] = np.load(folder / _IDS, mmap_mode="r")
        self._search = _open(folder)
        if len(self._search) != len(self._ids):
            raise InputError(
                f"{folder}: expected one vector per segment; found {len(self._search)} vectors "
                f"and {len(self._ids)} ids",
                remedy="Build the index again.",
            )

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._search.dimension

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[list[Hit]]:
        """Return up to `k` hits for each row of `(n_queries, dimension) float32`."""
        if not len(vectors):
            return []
        return [
            ranked(
                [
                    Hit(segment_id.decode(), score)
                    for segment_id, score in zip(
                        self._ids[rows].tolist(), scores.tolist(), strict=True
                    )
                ]
            )
            for rows, scores in self._search.search(vectors, min(k, len(self)))
        ]


def _open(folder: Path) -> _Search:
    path = folder / _PROFILE
    if not path.exists():
        return FlatSearch(folder)
    settings = SearchSettings.model_validate_json(read_limited(path), strict=True)
    if settings.kind == "gpu":
        return GpuSearch(folder)
    return InvertedSearch(folder, probes=settings.probes, candidates=settings.candidates)
