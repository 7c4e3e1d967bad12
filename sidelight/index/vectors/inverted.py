"""Inverted file of product codes, with a matrix on disk that reranks its candidates.

```text
<folder>/index.faiss    FAISS IndexIVFPQFastScan over row numbers, behind a rotation of the axes
                        that was learnt with it; read when opened: FAISS maps no such lists
<folder>/matrix.npy     the vectors in fewer bits, mapped; with scales.npy for int8
```

In a build, rotation, centroids and codes are learnt from a seeded sample (`trained.faiss`). Then
the list and the code of each row are appended to `lists.i4` and `codes.u1` and its vector to the
matrix, block by block, so that an interrupted call resumes after the last whole block. At last the
codes are sorted into their lists (`filled.faiss`). FAISS cannot add to a fast-scan index what was
assigned elsewhere, so that one is converted from `filled.faiss`, which is mapped meanwhile: the
codes are in memory once.

A code of 4 bits stands for three numbers, so no three should carry much more variance than others.
Vectors are therefore rotated before they are coded: of the axes along which they differ most from
the centroid of their list, each three are one of the strongest third, one of the second and one of
the last.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.index.encoding.onnx_model import multiplies_bfloat16
from sidelight.index.vectors import matrix
from sidelight.index.vectors.profiles import NUMBERS_PER_CODE, Shape, coded_numbers

INDEX = "index.faiss"


class InvertedSearch:
    """Finds candidates by their codes, and orders them by exact inner products with the matrix."""

    def __init__(self, folder: Path, *, probes: int, candidates: int) -> None:
        import faiss

        whole: Any = faiss.read_index(str(folder / INDEX))
        self.dimension = int(whole.d)
        self._axes: NDArray[np.float32] | None = None
        self._index = whole
        if isinstance(whole, faiss.IndexPreTransform):  # an older version turned nothing
            turn = _turn_of(whole)
            self._axes = faiss.vector_to_array(turn.A).reshape(turn.d_out, turn.d_in)
            self._index = faiss.downcast_index(whole.index)
        self._whole = whole  # owns the other
        self._index.nprobe = probes
        self._matrix = matrix.Matrix(folder)
        if len(self._matrix) != len(self) or self._matrix.dimension != self.dimension:
            raise ValueError(f"{len(self._matrix)} rows for {len(self)} vectors")
        self._candidates = candidates

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, vectors: NDArray[np.float32], k: int) -> list[matrix.NearestRows]:
        """Return up to `k` rows for each row of `(n_queries, dimension) float32`."""
        # FAISS would turn even one query on all threads, and a busy machine makes it wait for them.
        # One by one, so that a query is rounded alike in any company.
        turned = vectors if self._axes is None else np.stack([self._axes @ one for one in vectors])
        _, candidates = self._index.search(turned, min(k * self._candidates, len(self)))
        return [
            self._matrix.best(query, rows[rows >= 0], k)
            for query, rows in zip(vectors, candidates, strict=True)
        ]


SEED = 2025
ITERATIONS = 10
SAMPLE_PER_LIST = 64

# To learn axes from: hundreds for each number.
_FOR_AXES = 65_536
# Steps in which Panorama adds up a product with the middle of a list, to stop where it is too low.
_LEVELS = 8
# Middles it looks at before it knows what is too low.
_PROBE_BATCH = 1024

_TRAINED, _FILLED = "trained.faiss", "filled.faiss"
_LISTS, _CODES = "lists.i4", "codes.u1"


def write_inverted(
    folder: Path, rows: matrix.PartRows, shape: Shape, on_segments: Callable[[int], object]
) -> None:
    """Build `index.faiss` and the matrix, going on where an earlier call was interrupted.

    See `matrix.write_rows` for the last argument.
    """
    if not (folder / INDEX).exists():
        if not (folder / _FILLED).exists():
            if not (folder / _TRAINED).exists():
                _write_index(_train(folder, rows, shape), folder / _TRAINED)
            index = _read_step(folder / _TRAINED)
            _encode(folder, rows, shape, index, on_segments)
            _fill(folder, index)
            _write_index(index, folder / _FILLED)
            del index
        _write_scanned(folder, shape.probes)
    if (folder / matrix.MATRIX_PART).exists():
        (folder / matrix.MATRIX_PART).replace(folder / matrix.MATRIX)
    for name in (_TRAINED, _FILLED, _LISTS, _CODES):
        (folder / name).unlink(missing_ok=True)


def _train(folder: Path, rows: matrix.PartRows, shape: Shape) -> Any:
    """Learn axes, lists, codes and the scales of the matrix from a sample."""
    import faiss

    sample = rows.sample(min(shape.lists * SAMPLE_PER_LIST, len(rows)), SEED)
    if shape.precision == "int8":
        matrix.write_scales(folder, sample)
    clusters: Any = faiss.Kmeans(
        rows.dimension, shape.lists, niter=ITERATIONS, seed=SEED, spherical=True
    )
    clusters.train(sample)
    some = sample[:: -(-len(sample) // _FOR_AXES)]
    _, nearest = clusters.index.search(some, 1)
    axes = balanced_axes(some - clusters.centroids[nearest[:, 0]])
    turn = faiss.LinearTransform(rows.dimension, len(axes))
    faiss.copy_array_to_vector(axes.ravel(), turn.A)
    turn.is_trained = True
    quantizer = faiss.IndexFlatIP(len(axes))
    quantizer.add(turn.apply(clusters.centroids))
    codes = len(axes) // NUMBERS_PER_CODE
    index = faiss.IndexIVFPQ(
        quantizer, len(axes), shape.lists, codes, 4, faiss.METRIC_INNER_PRODUCT
    )
    index.train(turn.apply(some))
    return faiss.IndexPreTransform(turn, index)


def balanced_axes(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return orthogonal axes, one a row, of which each three carry about the same of `vectors`.

    `vectors` are differences from what each vector is compared with. The result has at least as
    many rows as dimensions: axes of nothing but zeros fill up the last codes.
    """
    dimension = vectors.shape[1]
    _, ascending = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    filled = np.zeros((coded_numbers(dimension), dimension), dtype=np.float32)
    filled[:dimension] = ascending.T[::-1]
    strong, middling, weak = filled.reshape(NUMBERS_PER_CODE, -1, dimension)
    together = np.stack([strong, middling[::-1], weak[::-1]], axis=1)
    return together.reshape(filled.shape)


def _encode(
    folder: Path,
    rows: matrix.PartRows,
    shape: Shape,
    index: Any,
    on_segments: Callable[[int], object],
) -> None:
    """Append list, code and matrix row of every vector that has none yet."""
    import faiss

    scales = matrix.read_scales(folder)
    turn = _turn_of(index)
    inverted: Any = faiss.downcast_index(index.index)
    assign = _assigner(inverted)

    def convert(block: NDArray[np.float32]) -> tuple[NDArray[np.generic], ...]:
        turned = turn.apply(block)
        lists = assign(turned)
        codes = np.empty((len(block), inverted.code_size), dtype=np.uint8)
        inverted.encode_vectors(
            len(block), faiss.swig_ptr(turned), faiss.swig_ptr(lists), faiss.swig_ptr(codes)
        )
        return lists.astype(np.int32), codes, matrix.packed(block, scales)

    files = (
        matrix.RowFile(folder / _LISTS, b"", 4),
        matrix.RowFile(folder / _CODES, b"", inverted.code_size),
        matrix.matrix_file(folder / matrix.MATRIX_PART, len(rows), rows.dimension, shape.precision),
    )
    matrix.write_rows(files, rows, convert, on_segments)


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

    inverted: Any = faiss.downcast_index(index.index)
    lists = np.fromfile(folder / _LISTS, dtype=np.int32)
    codes = np.memmap(folder / _CODES, mode="r", dtype=np.uint8).reshape(-1, inverted.code_size)
    order = np.argsort(lists, kind="stable")
    ends = np.cumsum(np.bincount(lists, minlength=inverted.nlist))
    for number, rows in enumerate(np.split(order, ends[:-1])):
        own = codes[rows]  # has a name so that it lives while FAISS reads it
        inverted.invlists.add_entries(number, len(rows), faiss.swig_ptr(rows), faiss.swig_ptr(own))
    inverted.ntotal = index.ntotal = len(lists)


def _write_scanned(folder: Path, probes: int) -> None:
    """Write `index.faiss` from `filled.faiss`: the same codes, laid out to be searched."""
    import faiss

    filled = _read_step(folder / _FILLED, faiss.IO_FLAG_MMAP_IFC)
    inverted: Any = faiss.downcast_index(filled.index)
    middles = faiss.downcast_index(inverted.quantizer).reconstruct_n(0, inverted.nlist)
    finder = list_finder(middles, probes)  # has a name so that it lives while FAISS writes it
    scanned = faiss.IndexIVFPQFastScan(inverted)
    scanned.quantizer = finder
    _write_index(faiss.IndexPreTransform(_turn_of(filled), scanned), folder / INDEX)


def list_finder(middles: NDArray[np.float32], probes: int) -> Any:
    """Return what finds up to `probes` lists whose middles have the highest products with a query.

    Panorama finds those that a flat file would, but looks at most of them in part only, and on one
    thread, which for a single query is faster than to wake others.
    """
    import faiss

    batch = max(probes, _PROBE_BATCH)  # it can find no more than a batch has
    finder: Any = faiss.IndexFlatIPPanorama(middles.shape[1], _LEVELS, batch)
    finder.add(middles)
    return finder


def _read_step(path: Path, flags: int = 0) -> Any:
    """Read what an earlier step wrote, unless a version that did not turn vectors began."""
    import faiss

    index = faiss.read_index(str(path), flags)
    if not isinstance(index, faiss.IndexPreTransform):
        raise InputError(
            f"{path}: expected turned axes before the lists; found an unfinished index of an "
            "older sidelight",
            remedy="Delete the folder that is being built, and build it again. A finished index "
            "of that version can still be searched.",
        )
    return index


def _turn_of(index: Any) -> Any:
    import faiss

    return faiss.downcast_VectorTransform(index.chain.at(0))


def _write_index(index: Any, path: Path) -> None:
    import faiss

    unfinished = path.with_suffix(".tmp")
    faiss.write_index(index, str(unfinished))
    unfinished.replace(path)
