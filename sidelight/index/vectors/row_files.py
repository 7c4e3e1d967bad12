"""Files that grow together, a row of each per vector, and go on where they were interrupted."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.vectors.part_rows import PartRows

# Rows per step. Products of matrices of one shape round alike, so this number decides results.
BLOCK = 2048


class RowFile(NamedTuple):
    """A file of rows of equal size.

    Attributes:
        path: Appended to, or made.
        header: What stands before the rows.
        row_bytes: Size of a row.
    """

    path: Path
    header: bytes
    row_bytes: int


def write_rows(
    files: Sequence[RowFile],
    rows: PartRows,
    convert: Callable[[NDArray[np.float32]], Sequence[NDArray[np.generic]]],
    on_segments: Callable[[int], object],
) -> None:
    """Append what becomes of each vector, after the last whole block that all files have.

    Args:
        files: As an earlier call with the same vectors left them, or absent.
        rows: All vectors.
        convert: Given a block of vectors, returns its rows for each of the files.
        on_segments: Called with the number of rows found done, then after each block.
    """
    with ExitStack() as stack:
        streams = [stack.enter_context(file.path.open("ab")) for file in files]
        found = min(
            (stream.tell() - len(file.header)) // file.row_bytes
            for file, stream in zip(files, streams, strict=True)
        )
        done = min(max(found, 0), len(rows)) // BLOCK * BLOCK
        for file, stream in zip(files, streams, strict=True):
            if done:
                stream.truncate(len(file.header) + done * file.row_bytes)
            else:
                stream.truncate(0)
                stream.write(file.header)
        on_segments(done)
        for block in rows.blocks(done, BLOCK):
            for stream, own in zip(streams, convert(block), strict=True):
                stream.write(np.ascontiguousarray(own).data)
                stream.flush()
            on_segments(len(block))
        for stream in streams:
            os.fsync(stream.fileno())
