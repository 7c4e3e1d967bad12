"""Part of the vectors of a collection: those of one shard or one published file.

```text
<folder>/ids.npy        (n,) bytes, the segment id of each row
<folder>/vectors.npy    (n, dimension) float32 or float16, unit length; takes its name last
```

A part can be made anywhere. While it is being written, ids are lines of `ids.part` and vectors
go to `vectors.part`, in whole chunks, so that an interrupted call resumes. Published vectors are
read through Hugging Face `datasets`, which streams local files and published sets alike.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError, MachineError, package_of
from sidelight.files import is_file, make_folder
from sidelight.index.encoding.calibration import settled
from sidelight.index.encoding.encoder import Encoder, EncoderIdentity
from sidelight.index.engine import Engine, Progress, check_shared
from sidelight.index.manifest import InputFile, describe_inputs
from sidelight.index.text.corpus import passage_text
from sidelight.index.text.docstore import Docstore, open_store
from sidelight.schemas.segment import Segment

CHUNK = 1024

_IDS = "ids.npy"
_VECTORS = "vectors.npy"


class VectorPart(NamedTuple):
    """Paths of a part's ids and vectors; row by row they belong together."""

    ids: Path
    vectors: Path


def part_in(folder: Path) -> VectorPart:
    """Return the part that a folder holds, or will hold."""
    return VectorPart(folder / _IDS, folder / _VECTORS)


@dataclass(frozen=True)
class EncodePart:
    """The work on one part: the vectors of the segments in one store.

    `folder` holds the folders of all parts. `identity` is what the encoder must be on every machine
    that does the work.
    """

    folder: Path
    encoder: Encoder
    identity: EncoderIdentity

    def __call__(self, store: Path, on_segments: Callable[[int], object]) -> None:
        """Encode a store, going on after what an interrupted call has finished."""
        check_shared(self.folder)
        if self.encoder.identity() != self.identity:
            raise MachineError(
                f"{platform.node()}: expected the encoder {self.identity.name!r} that the build "
                "began with; found other weights of that name",
                remedy="Put the same model on all machines.",
            )
        with closing(open_store(store)) as segments:
            encode_part(segments, len(segments), self._folder_of(store), self.encoder, on_segments)

    def part(self, store: Path) -> VectorPart:
        """Return the part that the vectors of a store make up."""
        return part_in(self._folder_of(store))

    def _folder_of(self, store: Path) -> Path:
        return self.folder / f"vectors-{store.stem}"


def encode_part(
    segments: Iterable[Segment],
    count: int,
    folder: Path,
    encoder: Encoder,
    on_segments: Callable[[int], object],
) -> VectorPart:
    """Encode segments; a call after an interrupted one goes on after its last whole chunk.

    See `write_part` for `folder` and `on_segments`; all else must be the same in both calls. More
    or fewer segments than `count` raise InputError.
    """
    dimension = encoder.identity().dimension

    def chunks(done: int) -> Iterator[tuple[Sequence[str], NDArray[np.float32]]]:
        rest = islice(segments, done, None)
        while chunk := list(islice(rest, CHUNK)):
            ids = [segment.segment_id for segment in chunk]
            yield ids, encoder.encode_documents([passage_text(segment) for segment in chunk])

    part = write_part(folder, dimension, chunks, on_segments)
    found = len(np.load(part.ids, mmap_mode="r"))
    if found != count:
        raise InputError(
            f"{folder}: expected the vectors of {count} segments; found {found}",
            remedy="Delete the folder and build it again.",
        )
    return part


def write_part(
    folder: Path,
    dimension: int,
    chunks: Callable[[int], Iterable[tuple[Sequence[str], NDArray[np.float32]]]],
    on_segments: Callable[[int], object],
) -> VectorPart:
    """Write what comes in chunks of `CHUNK` rows; a finished part is left as it is.

    `folder` is made if need be, or is what an interrupted call left. `chunks` is given the number
    of rows already written, and yields ids and unit vectors, of length `dimension`, of the rest.
    `on_segments` is called with the number of rows that were there already, then with that of each
    chunk.
    """
    part = part_in(folder)
    if part.vectors.exists():
        on_segments(len(np.load(part.vectors, mmap_mode="r")))
        return part
    make_folder(folder)
    ids_part, vectors_part = folder / "ids.part", folder / "vectors.part"
    header = array_header(0, dimension, "float32")
    with ids_part.open("a+b") as ids, vectors_part.open("ab") as vectors:
        rows = max(vectors.tell() - len(header), 0) // (4 * dimension)
        done, ids_end = _whole_chunks(ids, rows)
        ids.truncate(ids_end)
        if done:
            vectors.truncate(len(header) + done * 4 * dimension)
        else:
            vectors.truncate(0)
            vectors.write(header)
        on_segments(done)
        for names, rows_of_chunk in chunks(done):
            vectors.write(np.ascontiguousarray(rows_of_chunk, dtype=np.float32).data)
            vectors.flush()
            ids.write("".join(f"{name}\n" for name in names).encode())
            ids.flush()
            done += len(names)
            on_segments(len(names))
        os.fsync(vectors.fileno())
    with vectors_part.open("r+b") as vectors:
        vectors.write(array_header(done, dimension, "float32"))
    _lines_to_array(ids_part, done, part.ids)
    vectors_part.replace(part.vectors)
    ids_part.unlink()
    return part


def _whole_chunks(ids: IO[bytes], rows: int) -> tuple[int, int]:
    """Return how many rows of whole chunks have an id, and where the last of these ids ends."""
    ids.seek(0)
    done = end = 0
    while done + CHUNK <= rows:
        lines = list(islice(ids, CHUNK))
        if len(lines) < CHUNK or not lines[-1].endswith(b"\n"):
            break
        done += CHUNK
        end += sum(map(len, lines))
    return done, end


def _lines_to_array(lines: Path, count: int, path: Path) -> None:
    with lines.open("rb") as stream:
        longest = max((len(line) - 1 for line in stream), default=1)
    unfinished = path.with_suffix(".tmp")
    ids = np.lib.format.open_memmap(unfinished, mode="w+", dtype=f"S{longest}", shape=(count,))
    with lines.open("rb") as stream:
        for start in range(0, count, CHUNK):
            ids[start : start + CHUNK] = [line[:-1] for line in islice(stream, CHUNK)]
    ids.flush()
    unfinished.replace(path)


def array_header(rows: int, dimension: int, kind: str) -> bytes:
    """Return what stands before the rows of a two-dimensional `.npy` file.

    Numpy leaves room in it for any number of rows: its length does not depend on `rows`.
    """
    stream = BytesIO()
    descr = np.lib.format.dtype_to_descr(np.dtype(kind))
    description = {"descr": descr, "fortran_order": False, "shape": (rows, dimension)}
    np.lib.format.write_array_header_1_0(stream, description)
    return stream.getvalue()


class EmbeddingSet(NamedTuple):
    """Published vectors of MS MARCO V2.1 segmented.

    Attributes:
        subset: The part of the data set with the passages, where it has others.
        shortened: Lengths that its model was trained to be cut to (Matryoshka).
    """

    name: str
    subset: str | None
    dimension: int
    shortened: tuple[int, ...]


PUBLISHED_VECTORS = (
    EmbeddingSet("Snowflake/msmarco-v2.1-snowflake-arctic-embed-l", None, 1024, ()),
    EmbeddingSet("Snowflake/msmarco-v2.1-snowflake-arctic-embed-m-v1.5", None, 768, (256,)),
    EmbeddingSet("Cohere/msmarco-v2.1-embed-english-v3", "passages", 1024, ()),
)

# The Arctic sets have `doc_id` and `embedding`, the Cohere set `docid` and `emb`.
_ID_COLUMNS = ("_id", "docid", "doc_id", "id")
_VECTOR_COLUMNS = ("emb", "embedding")


def published_part(
    parquet: Path | str,
    folder: Path,
    dimension: int | None,
    on_segments: Callable[[int], object],
) -> VectorPart:
    """Turn a published set, or one of its files, into a part; an interrupted call is taken up.

    `parquet` is a parquet file, a folder of them, or the name of a published set to stream. Vectors
    are cut to `dimension` (None: kept whole), for which the set's model must have been trained, and
    normalised: some sets are published as they left the model. See `write_part` for `folder` and
    `on_segments`.
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
    with package_of("a file of published vectors"):
        from datasets import load_dataset
    if isinstance(parquet, str):
        return load_dataset(parquet, _SETS[parquet].subset, split="train", streaming=True)
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


_SETS = {one.name: one for one in PUBLISHED_VECTORS}
# Ids looked up in each file of vectors.
_CHECKED = 100


def describe_sources(published: Sequence[str]) -> tuple[InputFile | str, ...]:
    """Return what identifies published vectors: names of sets, and files with their hashes."""
    for source in published:
        if source not in _SETS and not is_file(source):
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
    """Return the parts with the vectors of all segments; an interrupted call is taken up.

    The vectors come from published parquet files, or from the published set of a name; where none
    is named, the engine has the segments encoded. They are as long as the encoder's.
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
    return parts
