"""Where the vectors of an index come from: published files, or the encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import InputError
from sidelight.index.embeddings import published_part
from sidelight.index.vector_part import encode_part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sidelight.index.build import Progress
    from sidelight.index.docstore import Docstore
    from sidelight.index.encoder import Encoder
    from sidelight.index.vector_part import VectorPart

# Ids looked up in each file of vectors.
_CHECKED = 100


def vector_parts(
    folder: Path,
    docstore: Docstore,
    encoder: Encoder,
    published: Sequence[Path],
    progress: Progress,
) -> list[VectorPart]:
    """Take the vectors of the segments from files, or encode the segments.

    Args:
        folder: Where the parts go, or what an interrupted call left there.
        docstore: The segments.
        encoder: Encodes the segments; its dimension is that of the vectors.
        published: Parquet files with the vectors of all segments; none to encode them.
        progress: Shows the work.

    Raises:
        InputError: The files do not hold the vectors of the segments.
        MachineError: The model or a package it needs is missing.
    """
    with progress("vectors", len(docstore)) as advance:
        if not published:
            return [encode_part(docstore, len(docstore), folder / "vectors", encoder, advance)]
        dimension = encoder.identity().dimension
        parts = [
            published_part(path, folder / f"vectors-{number:04}", dimension, advance)
            for number, path in enumerate(published)
        ]
    _check_vectors(parts, docstore, published)
    return parts


def _check_vectors(
    parts: Sequence[VectorPart], docstore: Docstore, published: Sequence[Path]
) -> None:
    """Refuse vectors that are not those of the segments: too few, too many, or of other ids."""
    ids = [np.load(part.ids, mmap_mode="r") for part in parts]
    found = sum(map(len, ids))
    if found != len(docstore):
        raise InputError(
            f"{published[0]}: expected the vectors of {len(docstore)} segments in "
            f"{len(published)} files; found {found}",
            remedy="Name the files with the vectors of all shards, and no others.",
        )
    for path, own in zip(published, ids, strict=True):
        for segment_id in own[:: max(len(own) // _CHECKED, 1)].tolist():
            if segment_id.decode() not in docstore:
                raise InputError(
                    f"{path}: expected vectors of the segments; found one of "
                    f"{segment_id.decode()!r}, which is none of them",
                    remedy="Name the files with the vectors of these shards.",
                )
