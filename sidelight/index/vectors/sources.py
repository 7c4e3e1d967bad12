"""Sources of an index's vectors: published parquet files, or the encoder.

Published vectors are read through Hugging Face `datasets`, which streams local files and published
sets alike and can resume in the middle of one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sidelight.errors import INSTALL, InputError, MachineError
from sidelight.index.encoding.calibration import settled
from sidelight.index.manifest import describe_inputs
from sidelight.index.vectors.part import CHUNK, EncodePart, write_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.engine import Engine, Progress
    from sidelight.index.manifest import InputFile
    from sidelight.index.text.docstore import Docstore
    from sidelight.index.vectors.part import VectorPart


class EmbeddingSet(NamedTuple):
    """Published vectors of MS MARCO V2.1 segmented.

    Attributes:
        name: Of the data set.
        dimension: Length of its vectors.
        shortened: Lengths that its model was trained to be cut to (Matryoshka).
    """

    name: str
    dimension: int
    shortened: tuple[int, ...]


PUBLISHED_VECTORS = (
    EmbeddingSet("Snowflake/msmarco-v2.1-snowflake-arctic-embed-l", 1024, ()),
    EmbeddingSet("Snowflake/msmarco-v2.1-snowflake-arctic-embed-m-v1.5", 768, (256,)),
    EmbeddingSet("Cohere/msmarco-v2.1-embed-english-v3", 1024, ()),
)

_ID_COLUMNS = ("_id", "docid", "id")
_VECTOR_COLUMNS = ("emb", "embedding")


def published_part(
    parquet: Path | str,
    folder: Path,
    dimension: int | None,
    on_segments: Callable[[int], object],
) -> VectorPart:
    """Turn a published set, or one of its files, into a part; an interrupted call is taken up.

    Vectors are cut to `dimension` where the set's model was trained for that, and normalised: some
    sets are published as they left the model.

    Args:
        parquet: A parquet file, a folder of them, or the name of a published set to stream.
        folder: Made if need be, or what an interrupted call left.
        dimension: Length to cut vectors to; their own if None.
        on_segments: Called with the number of rows found done, then after each chunk.

    Raises:
        InputError: There are no such vectors, or they may not be cut to that length.
        MachineError: The package `datasets` is not installed.
    """
    rows = _open(parquet)
    id_column = _column(parquet, rows, _ID_COLUMNS)
    vector_column = _column(parquet, rows, _VECTOR_COLUMNS)
    rows = rows.select_columns([id_column, vector_column]).with_format("arrow")
    first = next(rows.iter(batch_size=1), None)
    if first is None:
        raise InputError(f"{parquet}: expected vectors; found no rows")
    full = len(first[vector_column][0].as_py())
    kept = full if dimension is None else dimension
    _check_cut(parquet, full, kept)

    def chunks(done: int) -> Iterator[tuple[Sequence[str], NDArray[np.float32]]]:
        for table in rows.skip(done).iter(batch_size=CHUNK):
            ids = table[id_column].to_pylist()
            flat = table[vector_column].combine_chunks().flatten().to_numpy(zero_copy_only=False)
            if len(flat) != len(ids) * full:
                raise InputError(
                    f"{parquet}: expected vectors of {full} numbers; found others from the id "
                    f"{ids[0]!r} on",
                    remedy="Download the file again.",
                )
            yield ids, _unit(flat.reshape(-1, full)[:, :kept], parquet, ids)

    return write_part(folder, kept, chunks, on_segments)


def _open(parquet: Path | str) -> Any:
    try:
        from datasets import load_dataset
    except ModuleNotFoundError as error:
        raise MachineError(
            f"published vectors need the package {error.name!r}, which is not installed",
            remedy=INSTALL,
        ) from error
    if isinstance(parquet, str):
        return load_dataset(parquet, split="train", streaming=True)
    files = sorted(parquet.rglob("*.parquet")) if parquet.is_dir() else [parquet]
    if not files or not files[0].is_file():
        raise InputError(
            f"{parquet}: expected parquet files with vectors; found none",
            remedy="Give a .parquet file, a folder of them, or the name of a published set.",
        )
    names = [str(file) for file in files]
    return load_dataset("parquet", data_files=names, split="train", streaming=True)


def _column(parquet: Path | str, rows: Any, names: Sequence[str]) -> str:
    found = list(rows.features or rows.column_names)
    column = next((name for name in names if name in found), None)
    if column is None:
        raise InputError(
            f"{parquet}: expected a column called one of: {', '.join(names)}; found: "
            f"{', '.join(found)}",
            remedy="Rename the column that holds it.",
        )
    return column


def _check_cut(parquet: Path | str, full: int, kept: int) -> None:
    allowed = {full} | {
        length for one in PUBLISHED_VECTORS if one.dimension == full for length in one.shortened
    }
    if kept not in allowed:
        raise InputError(
            f"{parquet}: expected to keep {' or '.join(map(str, sorted(allowed)))} of the {full} "
            f"numbers of a vector; asked for {kept}",
            remedy="Only vectors of a model trained for it (Matryoshka) mean anything when cut; "
            "leave out --dim, or take Snowflake Arctic M v1.5.",
        )


def _unit(
    vectors: NDArray[np.floating], parquet: Path | str, ids: Sequence[str]
) -> NDArray[np.float32]:
    rows = vectors.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    bad = ~(np.isfinite(lengths) & (lengths > 0))[:, 0]
    if bad.any():
        raise InputError(
            f"{parquet}: expected vectors that have a direction; found that of "
            f"{ids[int(bad.argmax())]!r}, which is zero or not finite",
            remedy="Download the file again.",
        )
    return np.asarray(rows / lengths, dtype=np.float32)


_SETS = frozenset(one.name for one in PUBLISHED_VECTORS)
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
