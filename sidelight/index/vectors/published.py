"""Published vectors of the collection, from parquet files, as parts of an index.

Read through Hugging Face `datasets`, which streams local files and published sets alike and knows
how to go on in the middle of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sidelight.errors import INSTALL, InputError, MachineError
from sidelight.index.vectors.part import CHUNK, write_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

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


PUBLISHED = (
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
        length for one in PUBLISHED if one.dimension == full for length in one.shortened
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
