"""Building an inverted file of product codes: what it is, and how it is searched, is in `inverted`.

Lists and codes are learnt from a seeded sample (`trained.faiss`). Then the list and the code of
each row are appended to `lists.i4` and `codes.u1` and its vector to the matrix, block by block, so
that an interrupted call goes on after the last whole block. At last the codes are sorted into their
lists (`filled.faiss`). FAISS cannot add to a fast-scan index what was assigned elsewhere, so that
one is converted from `filled.faiss`, which is mapped meanwhile: the codes are in memory once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.index.encoding.precision import multiplies_bfloat16
from sidelight.index.vectors.inverted import INDEX
from sidelight.index.vectors.matrix import (
    MATRIX,
    MATRIX_PART,
    matrix_file,
    packed,
    read_scales,
    write_scales,
)
from sidelight.index.vectors.row_files import RowFile, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from sidelight.index.vectors.part_rows import PartRows
    from sidelight.index.vectors.profiles import Shape

SEED = 2025
ITERATIONS = 10
SAMPLE_PER_LIST = 64

_TRAINED, _FILLED = "trained.faiss", "filled.faiss"
_LISTS, _CODES = "lists.i4", "codes.u1"


def write_inverted(
    folder: Path, rows: PartRows, shape: Shape, on_segments: Callable[[int], object]
) -> None:
    """Build `index.faiss` and the matrix, going on where an earlier call was interrupted.

    Args:
        folder: What that call left, or empty.
        rows: All vectors.
        shape: Of an inverted profile for them.
        on_segments: Called with the number of rows found done, then after each block.
    """
    import faiss

    if not (folder / INDEX).exists():
        if not (folder / _FILLED).exists():
            if not (folder / _TRAINED).exists():
                _write_index(_train(folder, rows, shape), folder / _TRAINED)
            index = faiss.read_index(str(folder / _TRAINED))
            _encode(folder, rows, shape, index, on_segments)
            _fill(folder, index)
            _write_index(index, folder / _FILLED)
            del index
        filled = faiss.read_index(str(folder / _FILLED), faiss.IO_FLAG_MMAP_IFC)
        _write_index(faiss.IndexIVFPQFastScan(filled), folder / INDEX)
    if (folder / MATRIX_PART).exists():
        (folder / MATRIX_PART).replace(folder / MATRIX)
    for name in (_TRAINED, _FILLED, _LISTS, _CODES):
        (folder / name).unlink(missing_ok=True)


def _train(folder: Path, rows: PartRows, shape: Shape) -> Any:
    """Learn lists, codes and the scales of the matrix from a sample."""
    import faiss

    sample = rows.sample(min(shape.lists * SAMPLE_PER_LIST, len(rows)), SEED)
    if shape.precision == "int8":
        write_scales(folder, sample)
    clusters: Any = faiss.Kmeans(
        rows.dimension, shape.lists, niter=ITERATIONS, seed=SEED, spherical=True
    )
    clusters.train(sample)
    quantizer = faiss.IndexFlatIP(rows.dimension)
    quantizer.add(clusters.centroids)
    index = faiss.IndexIVFPQ(
        quantizer, rows.dimension, shape.lists, rows.dimension // 2, 4, faiss.METRIC_INNER_PRODUCT
    )
    index.train(sample)
    return index


def _encode(
    folder: Path,
    rows: PartRows,
    shape: Shape,
    index: Any,
    on_segments: Callable[[int], object],
) -> None:
    """Append list, code and matrix row of every vector that has none yet."""
    import faiss

    scales = read_scales(folder)
    assign = _assigner(index)

    def convert(block: NDArray[np.float32]) -> tuple[NDArray[np.generic], ...]:
        lists = assign(block)
        codes = np.empty((len(block), index.code_size), dtype=np.uint8)
        index.encode_vectors(
            len(block), faiss.swig_ptr(block), faiss.swig_ptr(lists), faiss.swig_ptr(codes)
        )
        return lists.astype(np.int32), codes, packed(block, scales)

    files = (
        RowFile(folder / _LISTS, b"", 4),
        RowFile(folder / _CODES, b"", index.code_size),
        matrix_file(folder / MATRIX_PART, len(rows), rows.dimension, shape.precision),
    )
    write_rows(files, rows, convert, on_segments)


def _assigner(index: Any) -> Callable[[NDArray[np.float32]], NDArray[np.int64]]:
    """Return what finds the list of each row: one product of matrices, in bfloat16 if it is fast.

    FAISS does the same in single precision, several times slower.
    """
    import faiss
    import torch

    kind = torch.bfloat16 if multiplies_bfloat16() else torch.float32
    quantizer = faiss.downcast_index(index.quantizer)
    centroids = torch.from_numpy(quantizer.reconstruct_n(0, index.nlist)).to(kind).T

    def assign(block: NDArray[np.float32]) -> NDArray[np.int64]:
        scores = torch.from_numpy(block).to(kind) @ centroids
        return np.asarray(scores.max(dim=1).indices.numpy())

    return assign


def _fill(folder: Path, index: Any) -> None:
    """Put all codes into their lists, in the order of their rows."""
    import faiss

    lists = np.fromfile(folder / _LISTS, dtype=np.int32)
    codes = np.memmap(folder / _CODES, mode="r", dtype=np.uint8).reshape(-1, index.code_size)
    order = np.argsort(lists, kind="stable")
    ends = np.cumsum(np.bincount(lists, minlength=index.nlist))
    for number, rows in enumerate(np.split(order, ends[:-1])):
        own = codes[rows]  # has a name so that it lives while FAISS reads it
        index.invlists.add_entries(number, len(rows), faiss.swig_ptr(rows), faiss.swig_ptr(own))
    index.ntotal = len(lists)


def _write_index(index: Any, path: Path) -> None:
    import faiss

    unfinished = path.with_suffix(".tmp")
    faiss.write_index(index, str(unfinished))
    unfinished.replace(path)
