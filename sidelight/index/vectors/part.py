"""Part of the vectors of a collection: those of one shard or one published file.

```text
<folder>/ids.npy        (n,) bytes, the segment id of each row
<folder>/vectors.npy    (n, dimension) float32 or float16, unit length; takes its name last
```

A part can be made anywhere. While it is being written, ids are lines of `ids.part` and vectors
go to `vectors.part`, in whole chunks, so that an interrupted call resumes.
"""

from __future__ import annotations

import os
import platform
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.errors import InputError, MachineError
from sidelight.files import make_folder
from sidelight.index.engine import check_shared
from sidelight.index.text.corpus import passage_text
from sidelight.index.text.docstore import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.encoding.encoder import Encoder, EncoderIdentity
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

    Attributes:
        folder: Holds the folders of all parts.
        encoder: Encodes the segments.
        identity: Its own, wherever the work is done.
    """

    folder: Path
    encoder: Encoder
    identity: EncoderIdentity

    def __call__(self, store: Path, on_segments: Callable[[int], object]) -> None:
        """Encode a store, going on after what an interrupted call has finished.

        Raises:
            MachineError: The model is missing here, or is another one.
        """
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

    Args:
        segments: The same, in the same order, as in the interrupted call.
        count: How many they are.
        folder: Made if need be, or what an interrupted call left.
        encoder: The same as in the interrupted call.
        on_segments: Called with the number of segments found done, then after each chunk.

    Raises:
        InputError: There are more or fewer segments than `count`.
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

    Args:
        folder: Made if need be, or what an interrupted call left.
        dimension: Length of a vector.
        chunks: Given the number of rows already written, yields ids and unit vectors of the rest.
        on_segments: Called with the number of rows found done, then after each chunk.
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
