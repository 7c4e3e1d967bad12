"""Dense retrieval: nearest neighbours of a query's vector, exact or approximate as the index is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.lucene.vectors import LuceneVectors
    from sidelight.index.vectors.vectors import VectorIndex
    from sidelight.schemas.investigation.evidence import Hit, Query


class DenseRetriever:
    """Ranks by the inner product of unit vectors.

    Args:
        vectors: Vectors of the segments.
        encoder: The encoder that made them.

    Raises:
        InputError: The two differ in dimension.
    """

    name = "dense"

    def __init__(self, vectors: VectorIndex | LuceneVectors, encoder: Encoder) -> None:
        dimension = encoder.identity().dimension
        if vectors.dimension != dimension:
            raise InputError(
                f"the encoder {encoder.name!r} makes vectors of {dimension} numbers; those of the "
                f"index have {vectors.dimension}",
                remedy="Search with the encoder that built the index.",
            )
        self._vectors = vectors
        self._encoder = encoder

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        encoded = self._encoder.encode_queries([query.text for query in queries])
        found = self._vectors.search(encoded, k)
        return {query.query_id: hits for query, hits in zip(queries, found, strict=True)}
