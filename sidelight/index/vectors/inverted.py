"""An inverted file of product codes, and a matrix on disk that settles the order of what it finds.

```text
<folder>/index.faiss    FAISS IndexIVFPQFastScan over row numbers, behind a turn of the axes that
                        was learnt with it; read when opened: FAISS maps no such lists
<folder>/matrix.npy     the vectors in fewer bits, mapped; with scales.npy for int8
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sidelight.index.vectors.matrix import Found, Matrix

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

INDEX = "index.faiss"


class InvertedSearch:
    """Finds candidates by their codes, and orders them by exact inner products with the matrix.

    Args:
        folder: Made by `write_inverted`.
        probes: Lists to look into.
        candidates: How many times the rows asked for are scored again.
    """

    def __init__(self, folder: Path, *, probes: int, candidates: int) -> None:
        import faiss

        self._index = cast("Any", faiss.read_index(str(folder / INDEX)))
        faiss.extract_index_ivf(self._index).nprobe = probes
        self._matrix = Matrix(folder)
        self._candidates = candidates

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[Found]:
        """Return up to `k` rows for each row of `(n_queries, dimension) float32`."""
        _, candidates = self._index.search(vectors, min(k * self._candidates, len(self)))
        return [
            self._matrix.best(query, rows[rows >= 0], k)
            for query, rows in zip(vectors, candidates, strict=True)
        ]
