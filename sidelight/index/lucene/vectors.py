"""Vectors in Lucene: one or more HNSW indexes made by Anserini, searched as one.

Among them are the published vectors of MS MARCO V2.1 segmented by Arctic-embed-L, in bytes, in ten
parts.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sidelight.errors import InputError
from sidelight.index.lucene.jvm import JAVA, java_class
from sidelight.index.lucene.segments import LuceneIndex, TopHits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sidelight.schemas.investigation.evidence import Hit

_VECTOR_FIELD = "vector"
# Neighbours that a search keeps in view; Anserini's figures for the published indexes use as many.
_MIN_SEEN = 1000


class LuceneVectors:
    """Search by inner product, usable from any thread; the files are mapped.

    Args:
        folders: Lucene indexes with vectors of one length.

    Raises:
        InputError: A folder holds none, or the vectors differ in length.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        readers = [LuceneIndex(folder).reader for folder in folders]
        with JAVA:
            lengths = list(map(_dimension, readers))
        for folder, length in zip(folders, lengths, strict=True):
            if length == 0 or length != lengths[0]:
                raise InputError(
                    f"{folder}: expected an HNSW index with vectors of {lengths[0] or 'any'} "
                    f"numbers; found {length or 'no vectors'}",
                    remedy="Name folders made by Anserini from vectors of one model.",
                )
        self.dimension: int = lengths[0]
        with JAVA:
            self._reader = java_class("org.apache.lucene.index.MultiReader")(*readers)
            self._count = int(self._reader.numDocs())
        self._nearest = java_class("org.apache.lucene.search.KnnFloatVectorQuery")
        self._hits = TopHits(self._reader)

    def __len__(self) -> int:
        return self._count

    def search(self, vectors: NDArray[np.float32], k: int) -> list[list[Hit]]:
        """Return up to `k` hits for each row of `(n_queries, dimension) float32`."""
        seen = max(k, _MIN_SEEN)
        asked = [partial(self._nearest, _VECTOR_FIELD, row, seen) for row in vectors.tolist()]
        return self._hits.search(asked, k)


def _dimension(reader: Any) -> int:
    field = java_class("io.anserini.index.IndexReaderUtils").getFieldInfo(reader).get(_VECTOR_FIELD)
    return field.getVectorDimension() if field else 0
