"""The profile cpu-24gb against FAISS Flat, how it grows, and what it comes to at 114 million.

Clustered vectors of 256 dimensions; queries are drawn like them and not among them. Each size is
built from scratch. What a query costs at 113,520,750 vectors is put together from parts that are
measured here at their full size: finding lists among as many centroids, scanning as many codes, and
fetching as many rows from a cold disk. The time of a query is its best of some rounds, the figure
the mean over queries: other work on the machine counts as little as can be.

Run with: python -m benchmarks.bench_dense_profile [SIZE...]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import faiss
import numpy as np

from benchmarks.record import Figure, write_results
from sidelight.index.vectors.capacity import N_SEGMENTS, plan_capacity
from sidelight.index.vectors.inverted import INDEX, list_finder
from sidelight.index.vectors.matrix import MATRIX, Matrix
from sidelight.index.vectors.part import array_header, part_in
from sidelight.index.vectors.profiles import EXACT, PROFILES, shape_of
from sidelight.index.vectors.vectors import SearchSettings, VectorIndex, write_vectors
from tests.helpers.indexes.generated_collection import write_vectors_like

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sidelight.schemas.investigation.evidence import Hit

SIZES = 62_500, 250_000, 1_000_000
COMPARED = 1_000_000
DIMENSION, QUERIES, K, SEED, ROUNDS = 256, 200, 100, 1, 5
# Vectors that middles of lists are learnt from where only their number matters.
SAMPLE = 125_000
PROFILE = PROFILES["cpu-24gb"]


class Measured(NamedTuple):
    """Figures of one size."""

    count: int
    build_s: float
    recall: float
    recall_at_share: float
    ms: float
    flat_ms: float
    memory: float
    disk: float

    def __str__(self) -> str:
        shape = shape_of(PROFILE, self.count, DIMENSION)
        return (
            f"{self.count:>9,} vectors: {shape.lists} lists, {shape.probes} probed; "
            f"recall@{K} {self.recall:.3f}, {self.recall_at_share:.3f} with the share of lists "
            f"that is probed at {N_SEGMENTS:,}; {self.ms:.2f} ms a query, "
            f"FAISS Flat {self.flat_ms:.1f}; {self.memory:.1f} bytes/vector in memory, "
            f"{self.disk:.1f} on disk without ids; "
            f"built in {self.build_s:.0f} s"
        )


def make(folder: Path, count: int) -> NDArray[np.float32]:
    """Write `count` vectors as a part and return queries, the rows that were drawn after them."""
    part = part_in(folder)
    write_vectors_like(folder, [f"{n:09}" for n in range(count + QUERIES)], DIMENSION, SEED)
    queries = np.array(np.load(part.vectors, mmap_mode="r")[count:])
    np.save(part.ids, np.load(part.ids)[:count])
    header = array_header(count, DIMENSION, "float32")
    with part.vectors.open("r+b") as stream:
        stream.write(header)
        stream.truncate(len(header) + count * DIMENSION * 4)
    return queries


def milliseconds(
    work: Callable[[NDArray[np.float32]], object], queries: NDArray[np.float32]
) -> float:
    """Return the mean over queries, asked alone, of the best of some rounds."""
    times = np.empty((ROUNDS, len(queries)))
    for number in range(ROUNDS):
        for row in range(len(queries)):
            started = time.perf_counter()
            work(queries[row : row + 1])
            times[number, row] = time.perf_counter() - started
    return float(times.min(axis=0).mean() * 1000)


def held(folder: Path) -> int:
    """Return the bytes that opening an index adds to a process, mapped files not among them."""
    before = private()
    index = VectorIndex(folder)
    assert len(index)
    return private() - before


def private() -> int:
    """Return the bytes of memory of this process's own."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise AssertionError


def measure(root: Path, count: int) -> tuple[Measured, Path, NDArray[np.float32]]:
    queries = make(root / "part", count)
    part = part_in(root / "part")
    write_vectors(root / EXACT, [part], PROFILES[EXACT], lambda _: None)
    started = time.perf_counter()
    write_vectors(root / PROFILE.name, [part], PROFILE, lambda _: None)
    build_s = time.perf_counter() - started
    part.vectors.unlink()
    # A process of its own: in this one freed memory of the build is used again.
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        memory = alone.submit(held, root / PROFILE.name).result() / count
    ours, flat = VectorIndex(root / PROFILE.name), VectorIndex(root / EXACT)
    expected = flat.search(queries, K)
    recall = overlap(ours.search(queries, K), expected)
    share = round(shape_of(PROFILE, count, DIMENSION).lists * PROFILE.probed)
    settings = root / PROFILE.name / "profile.json"
    kept = settings.read_text()
    fewer = SearchSettings.model_validate_json(kept).model_copy(update={"probes": share})
    settings.write_text(fewer.model_dump_json())
    recall_at_share = overlap(VectorIndex(root / PROFILE.name).search(queries, K), expected)
    settings.write_text(kept)
    direct = faiss.read_index(str(root / EXACT / INDEX), faiss.IO_FLAG_MMAP_IFC)
    flat_ms = milliseconds(lambda query: direct.search(query, K), queries[:10])
    ms = milliseconds(lambda query: ours.search(query, K), queries)
    index = root / PROFILE.name / INDEX
    disk = (index.stat().st_size + (root / PROFILE.name / MATRIX).stat().st_size) / count
    (root / EXACT / INDEX).unlink()
    measured = Measured(count, build_s, recall, recall_at_share, ms, flat_ms, memory, disk)
    return measured, root / PROFILE.name, queries


def overlap(found: list[list[Hit]], expected: list[list[Hit]]) -> float:
    """Return the mean share of expected hits that were found."""
    return statistics.mean(
        len({hit.segment_id for hit in one} & {hit.segment_id for hit in other}) / K
        for one, other in zip(found, expected, strict=True)
    )


def extrapolate(folder: Path, count: int, queries: NDArray[np.float32]) -> tuple[list[str], Figure]:
    """Measure each part of a query over the whole collection, at its size there; and all of it."""
    shape = shape_of(PROFILE, N_SEGMENTS, DIMENSION)
    matrix = Matrix(folder)
    middles = middles_like(matrix.rows[:: -(-count // SAMPLE)] * np.asarray(matrix.scales))
    finder = list_finder(middles, shape.probes)
    lists_ms = milliseconds(lambda query: finder.search(query, shape.probes), queries)
    scanned = N_SEGMENTS * shape.probes // shape.lists
    index: Any = faiss.read_index(str(folder / INDEX))
    lists: Any = faiss.downcast_index(index.index)
    lists.nprobe = max(round(lists.nlist * min(scanned / count, 1)), 1)
    turned = index.chain.at(0).apply(queries)
    # More lists are looked at here than the profile looks at among so few.
    few = faiss.downcast_index(lists.quantizer).reconstruct_n(0, lists.nlist)
    lists.own_fields, finder_of_few = False, list_finder(few, lists.nprobe)
    lists.quantizer = finder_of_few
    wanted = K * PROFILE.candidates
    scan_ms = milliseconds(lambda query: lists.search(query, wanted), turned[:50])
    scan_ms *= max(scanned / count, 1)
    del matrix, middles
    cold_ms = cold(folder, queries[:100])
    total = lists_ms + scan_ms + cold_ms
    lines = [
        f"at {N_SEGMENTS:,} vectors, {shape.lists} lists, {shape.probes} probed, a query takes",
        f"  {lists_ms:5.2f} ms to find {shape.probes} lists among {shape.lists}",
        f"  {scan_ms:5.2f} ms to scan {scanned:,} codes (of {lists.nprobe} lists here)",
        f"  {cold_ms:5.2f} ms to score {wanted} rows of a matrix that is not in memory",
        f"  {total:5.2f} ms together, to be under 12",
        f"and {shape.memory_bytes / 1e9:.1f} GB of memory, {shape.disk_bytes / 1e9:.1f} GB of disk",
    ]
    return lines, Figure(f"a query at {N_SEGMENTS:,} vectors", round(total, 2), "ms")


def middles_like(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return as many middles of lists as there are at the size of the collection.

    Learnt briefly from a few vectors for each: what matters is how they lie, not what they find.
    """
    clusters: Any = faiss.Kmeans(
        DIMENSION,
        shape_of(PROFILE, N_SEGMENTS, DIMENSION).lists,
        niter=2,
        seed=SEED,
        spherical=True,
        min_points_per_centroid=1,
    )
    clusters.train(vectors)
    return np.asarray(clusters.centroids)


def cold_matrix(folder: Path) -> Matrix:
    """Open a matrix none of which is in memory; nobody may have it open."""
    descriptor = os.open(folder / MATRIX, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)
    return Matrix(folder)


def cold(folder: Path, queries: NDArray[np.float32]) -> float:
    """Return the median time to score the candidates of a query, their rows read from disk."""
    index: Any = faiss.read_index(str(folder / INDEX))
    faiss.extract_index_ivf(index).nprobe = 16
    found = index.search(queries, K * PROFILE.candidates)[1]
    times = []
    for start in range(0, len(queries), 5):  # lest later queries find pages of earlier ones
        matrix = cold_matrix(folder)
        for row in range(start, start + 5):
            started = time.perf_counter()
            matrix.best(queries[row], found[row][found[row] >= 0], K)
            times.append((time.perf_counter() - started) * 1000)
        del matrix  # pages that are mapped are not dropped
    return statistics.median(times)


def main() -> None:
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    faiss.omp_set_num_threads(2)
    figures: list[object] = []
    for count in sizes:
        with tempfile.TemporaryDirectory() as name:
            measured, folder, queries = measure(Path(name), count)
            figures.append(measured)
            print(measured, flush=True)
            if count == sizes[-1]:
                lines, whole = extrapolate(folder, count, queries)
                figures += lines
            if count >= COMPARED:
                assert measured.recall >= PROFILE.recall, measured
                assert measured.ms < 20, measured
    planned = plan_capacity(PROFILE, N_SEGMENTS, DIMENSION)
    figures.append(
        f"`sidelight index plan`: {planned.latency_ms:.0f} ms a query, "
        f"{planned.build_s / 3600:.1f} h to build"
    )
    print(*figures, sep="\n")
    write_results(
        "dense_profile",
        f"clustered unit vectors of {DIMENSION}, seed {SEED}; {QUERIES} queries one by one, k {K}, "
        f"2 threads; profile {PROFILE.name}; best of {ROUNDS} rounds",
        figures,
        [whole],
    )


if __name__ == "__main__":
    main()
