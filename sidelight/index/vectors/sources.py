"""Where the vectors of an index come from: published files, or the encoder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import InputError
from sidelight.index.encoding.calibration import settled
from sidelight.index.manifest import describe_inputs
from sidelight.index.vectors.part import EncodePart
from sidelight.index.vectors.published import PUBLISHED, published_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.engine import Engine, Progress
    from sidelight.index.manifest import InputFile
    from sidelight.index.text.docstore import Docstore
    from sidelight.index.vectors.part import VectorPart

_SETS = frozenset(one.name for one in PUBLISHED)
# Ids looked up in each file of vectors.
_CHECKED = 100


def describe_sources(published: Sequence[str]) -> tuple[InputFile | str, ...]:
    """Return what identifies published vectors: names of sets, and files with their hashes.

    Raises:
        InputError: One is neither a file that can be read nor the name of a known set.
    """
    for source in published:
        if source not in _SETS and not Path(source).is_file():
            raise InputError(
                f"{source}: expected a parquet file with vectors, or the name of a published set; "
                "found neither",
                remedy=f"Known sets are: {', '.join(sorted(_SETS))}.",
            )
    return tuple(
        source if source in _SETS else describe_inputs([Path(source)])[0] for source in published
    )


def vector_parts(
    folder: Path,
    docstore: Docstore,
    encoder: Encoder,
    published: Sequence[str],
    engine: Engine,
    progress: Progress,
) -> list[VectorPart]:
    """Take the vectors of the segments from files, or encode the segments.

    Args:
        folder: Where the parts go, or what an interrupted call left there.
        docstore: The segments.
        encoder: Encodes the segments; its dimension is that of the vectors.
        published: Parquet files with the vectors of all segments, or the name of a published set;
            none to encode them.
        engine: Where segments are encoded.
        progress: Shows the work.

    Raises:
        InputError: The files do not hold the vectors of the segments.
        MachineError: The model or a package it needs is missing.
    """
    identity = encoder.identity()
    with progress("vectors", len(docstore)) as advance:
        if not published:
            encode = EncodePart(folder, settled(folder, encoder, docstore, engine), identity)
            engine.encode(encode, docstore.paths, advance)
            return [encode.part(store) for store in docstore.paths]
        parts = [
            published_part(
                source if source in _SETS else Path(source),
                folder / f"vectors-{number:04}",
                identity.dimension,
                advance,
            )
            for number, source in enumerate(published)
        ]
    _check_vectors(parts, docstore, published)
    return parts


def _check_vectors(
    parts: Sequence[VectorPart], docstore: Docstore, published: Sequence[str]
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
