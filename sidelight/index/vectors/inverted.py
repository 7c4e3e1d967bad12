"""An inverted file of product codes, and a matrix on disk that settles the order of what it finds.

```text
<folder>/index.faiss    FAISS IndexIVFPQFastScan over row numbers, behind a turn of the axes that
                        was learnt with it; read when opened: FAISS maps no such lists
<folder>/matrix.npy     the vectors in fewer bits, mapped; with scales.npy for int8
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.index.vectors.matrix import Found, Matrix

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

INDEX = "index.faiss"


class InvertedSearch:
    """Finds candidates by their codes, and orders them by exact inner products with the matrix.

    Args:
        folder: Made by `write_inverted`.
        probes: Lists to look into.
        candidates: How many times the rows asked for are scored again.

    Attributes:
        dimension: Length of a vector.
    """

    def __init__(self, folder: Path, *, probes: int, candidates: int) -> None:
        import faiss

        whole: Any = faiss.read_index(str(folder / INDEX))
        self.dimension = int(whole.d)
        self._axes: NDArray[np.float32] | None = None
        self._index = whole
        turns = isinstance(whole, faiss.IndexPreTransform)
        if turns:  # an older version turned nothing
            turn: Any = faiss.downcast_VectorTransform(whole.chain.at(0))
            self._axes = faiss.vector_to_array(turn.A).reshape(turn.d_out, turn.d_in)
            self._index = faiss.downcast_index(whole.index)
        self._whole = whole  # owns the other
        self._index.nprobe = probes
        self._matrix = Matrix(folder)
        self._candidates = candidates

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[Found]:
        """Return up to `k` rows for each row of `(n_queries, dimension) float32`."""
        # FAISS would turn even one query on all threads, and a busy machine makes it wait for them.
        # One by one, so that a query is rounded alike in any company.
        turned = vectors if self._axes is None else np.stack([self._axes @ one for one in vectors])
        _, candidates = self._index.search(turned, min(k * self._candidates, len(self)))
        return [
            self._matrix.best(query, rows[rows >= 0], k)
            for query, rows in zip(vectors, candidates, strict=True)
        ]
