"""What the profile cpu-24gb could be made of: lists found, codes scanned and rows read otherwise.

Variants of one stage take turns query by query, so that a busy machine hits all alike. Times are
those of one query alone: the mean over queries of the best round, the median of all, and processor
time of all threads. Scanning is timed over as many codes, in as many lists, as a query looks at
among 113,520,750 vectors; recall is that of half of SIZE vectors, rows scored again without loss.

Run with: python -m benchmarks.bench_dense_variants [SIZE]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import faiss
import numpy as np

from benchmarks.bench_dense_profile import (
    DIMENSION,
    PROFILE,
    QUERIES,
    SAMPLE,
    SEED,
    K,
    cold_matrix,
    make,
    middles_like,
)
from benchmarks.record import write_results
from sidelight.index.vectors.capacity import N_SEGMENTS
from sidelight.index.vectors.inverted import balanced_axes, list_finder
from sidelight.index.vectors.matrix import PartRows, write_matrix
from sidelight.index.vectors.part import part_in
from sidelight.index.vectors.profiles import shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE, TIMED, ROUNDS = 125_000, 20, 4
WHOLE = shape_of(PROFILE, N_SEGMENTS, DIMENSION)
SCANNED = N_SEGMENTS * WHOLE.probes // WHOLE.lists
CANDIDATES = 200, 300, 400, 800, 1600
IP = faiss.METRIC_INNER_PRODUCT


class Timed(NamedTuple):
    """Milliseconds of one query."""

    best: float
    median: float
    processor: float

    def __str__(self) -> str:
        return f"{self.best:6.2f} {self.median:6.2f} {self.processor:6.2f} ms"


class Codes(NamedTuple):
    """A way to code vectors.

    Attributes:
        turn: What they and queries are multiplied with.
        small: All vectors in their lists, for recall.
        large: As many codes in lists as large as there are at 113,520,750 vectors, for time.
        stored: Bytes of a code.
    """

    turn: NDArray[np.float32]
    small: Any
    large: Any
    stored: int


def in_turn(ways: dict[str, tuple[Any, NDArray[np.float32]]], wanted: int) -> dict[str, Timed]:
    """Time indexes, each with its own form of the same queries."""
    times = {name: np.empty((ROUNDS, TIMED)) for name in ways}
    spent = {name: np.empty((ROUNDS, TIMED)) for name in ways}
    for number in range(ROUNDS):
        for query in range(TIMED):
            for name, (index, queries) in ways.items():
                began, started = time.process_time(), time.perf_counter()
                index.search(queries[query : query + 1], wanted)
                times[name][number, query] = time.perf_counter() - started
                spent[name][number, query] = time.process_time() - began
    return {
        name: Timed(
            float(times[name].min(axis=0).mean() * 1000),
            float(np.median(times[name]) * 1000),
            float(spent[name].min(axis=0).mean() * 1000),
        )
        for name in ways
    }


def finding(vectors: NDArray[np.float32], queries: NDArray[np.float32]) -> list[str]:
    """Compare ways to find lists among as many middles as there are at 113,520,750 vectors."""
    middles = middles_like(vectors[:: -(-len(vectors) // SAMPLE)])

    def of(index: Any) -> Any:
        index.train(middles)
        index.add(middles)
        return index

    def graph(width: int) -> Any:
        index: Any = faiss.IndexHNSWFlat(DIMENSION, 32, IP)
        index.hnsw.efSearch = width
        return of(index)

    def refined(rough: Any, times: int) -> Any:
        index: Any = faiss.IndexRefineFlat(of(rough), faiss.swig_ptr(middles))
        index.k_factor = times
        return index

    halves = faiss.IndexScalarQuantizer(DIMENSION, faiss.ScalarQuantizer.QT_fp16, IP)
    ways: dict[str, Any] = {
        "flat": of(faiss.IndexFlatIP(DIMENSION)),
        "flat, Panorama": list_finder(middles, WHOLE.probes),
        "flat, half precision": of(halves),
        "HNSW, 128 looked at": graph(128),
        "HNSW, 256 looked at": graph(256),
        "codes of 2 numbers, 4 x rescored": refined(
            faiss.IndexPQFastScan(DIMENSION, 128, 4, IP), 4
        ),
        "RaBitQ, 8 x rescored": refined(faiss.IndexRaBitQFastScan(DIMENSION, IP), 8),
    }
    exact = ways["flat"].search(queries, WHOLE.probes)[1]
    timed = in_turn({name: (index, queries) for name, index in ways.items()}, WHOLE.probes)
    title = f"finding {WHOLE.probes} of {WHOLE.lists} lists: share of the right ones; "
    lines = [title + "best, median, processor"]
    for name, index in ways.items():
        found = index.search(queries, WHOLE.probes)[1]
        lines.append(f"  {name:<34} {shared(found, exact):.4f} {timed[name]}")
    return lines


def shared(found: NDArray[np.int64], exact: NDArray[np.int64]) -> float:
    """Return the mean share of each row of `exact` that is in the row of `found`."""
    return statistics.mean(
        len(np.intersect1d(one, other)) / len(other)
        for one, other in zip(found, exact, strict=True)
    )


class Coding:
    """Vectors in their lists, to be coded in any way.

    Args:
        vectors: All of them.
    """

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self.shape = shape_of(PROFILE, len(vectors), DIMENSION)
        clusters: Any = faiss.Kmeans(
            DIMENSION, self.shape.lists, niter=5, seed=SEED, spherical=True
        )
        clusters.train(vectors)
        self.vectors = vectors
        self.middles = np.asarray(clusters.centroids)
        self.lists = clusters.index.search(vectors, 1)[1][:, 0]
        self.some = np.arange(0, len(vectors), -(-len(vectors) // 65_536))
        self.off = (vectors - self.middles[self.lists])[self.some]
        self._kept: list[object] = []  # lives as long as what FAISS refers to

    def products(self, turn: NDArray[np.float32], numbers: int) -> Codes:
        """Return codes of 4 bits for so many numbers."""
        turn = np.ascontiguousarray(turn, dtype=np.float32)
        turned = self.vectors @ turn.T
        small = self._lists_of_products(self.middles @ turn.T, len(turn) // numbers)
        small.train(turned[self.some])
        codes = np.empty((len(turned), small.code_size), dtype=np.uint8)
        small.encode_vectors(
            len(turned), faiss.swig_ptr(turned), faiss.swig_ptr(self.lists), faiss.swig_ptr(codes)
        )
        few = self.middles[: WHOLE.probes] @ turn.T
        large = self._lists_of_products(few, len(turn) // numbers)
        large.pq, large.is_trained = small.pq, True
        for index, of in (
            (small, [np.flatnonzero(self.lists == number) for number in range(self.shape.lists)]),
            (large, np.array_split(np.arange(SCANNED) % len(turned), WHOLE.probes)),
        ):
            for number, rows in enumerate(of):
                own = codes[rows]  # has a name so that it lives while FAISS reads it
                index.invlists.add_entries(
                    number, len(rows), faiss.swig_ptr(rows), faiss.swig_ptr(own)
                )
            index.ntotal = sum(map(len, of))
        self._kept += [small, large]
        return Codes(
            turn,
            faiss.IndexIVFPQFastScan(small),
            faiss.IndexIVFPQFastScan(large),
            small.code_size,
        )

    def bits(self, number: int) -> Codes:
        """Return codes of so many bits for each number, by RaBitQ."""
        normal = np.random.default_rng(SEED).standard_normal((DIMENSION, DIMENSION))
        turn = np.linalg.qr(normal)[0].astype(np.float32)
        turned = self.vectors @ turn.T
        made: list[Any] = []
        for size, count in ((self.shape.lists, len(turned)), (WHOLE.probes, SCANNED)):
            finder = faiss.IndexFlatIP(DIMENSION)
            finder.add(self.middles[:size] @ turn.T)
            index = faiss.IndexIVFRaBitQFastScan(finder, DIMENSION, size, IP, 32, True, number)  # noqa: FBT003 -- SWIG knows no names
            index.train(turned[self.some])
            for start in range(0, count, len(turned)):
                index.add(turned[: count - start])
            made.append(index)
            self._kept.append(finder)
        return Codes(turn, made[0], made[1], made[0].code_size)

    def _lists_of_products(self, middles: NDArray[np.float32], codes: int) -> Any:
        finder = faiss.IndexFlatIP(middles.shape[1])
        finder.add(middles)
        self._kept.append(finder)
        return faiss.IndexIVFPQ(finder, middles.shape[1], len(middles), codes, 4, IP)


def scanning(vectors: NDArray[np.float32], queries: NDArray[np.float32]) -> list[str]:
    """Compare codes by the recall they leave and the time that scanning them takes."""
    coding = Coding(vectors)
    strongest = np.linalg.eigh(coding.off.T @ coding.off)[1].T[::-1]

    def folded(numbers: int) -> NDArray[np.float32]:
        """Put strong axes beside weak ones, as `balanced_axes` does by threes."""
        first, *others = strongest.reshape(numbers, -1, DIMENSION)
        return np.stack([first, *(other[::-1] for other in others)], axis=1).reshape(-1, DIMENSION)

    ways = {
        "4 bits for 2 numbers": coding.products(np.eye(DIMENSION, dtype=np.float32), 2),
        "the same, turned": coding.products(folded(2), 2),
        "4 bits for 3 numbers, turned": coding.products(balanced_axes(coding.off), 3),
        "4 bits for 4 numbers, turned": coding.products(folded(4), 4),
        "RaBitQ, 1 bit": coding.bits(1),
        "RaBitQ, 2 bits": coding.bits(2),
    }
    flat: Any = faiss.IndexFlatIP(DIMENSION)
    flat.add(vectors)
    exact = flat.search(queries, K)[1]
    for way in ways.values():
        way.small.nprobe, way.large.nprobe = coding.shape.probes, WHOLE.probes
    turned = {name: queries @ way.turn.T for name, way in ways.items()}
    asked = {name: (way.large, turned[name]) for name, way in ways.items()}
    timed = in_turn(asked, K * PROFILE.candidates)
    title = (
        f"scanning {SCANNED:,} codes: bytes; best, median, processor; recall@{K} of "
        f"{len(vectors):,} vectors after scoring {', '.join(map(str, CANDIDATES))} rows"
    )
    lines = [title]
    for name, way in ways.items():
        found = way.small.search(turned[name], max(CANDIDATES))[1]
        recalls = [f"{recall(vectors, queries, found[:, :n], exact):.3f}" for n in CANDIDATES]
        lines.append(f"  {name:<29} {way.stored:>3} {timed[name]}; {' '.join(recalls)}")
    return lines


def recall(
    vectors: NDArray[np.float32],
    queries: NDArray[np.float32],
    found: NDArray[np.int64],
    exact: NDArray[np.int64],
) -> float:
    """Return the mean share of the exact best that the best of the found rows are."""
    best = np.full((len(queries), K), -1)
    for number, (query, one) in enumerate(zip(queries, found, strict=True)):
        rows = one[one >= 0]
        order = np.argsort(-(vectors[rows] @ query))[:K]
        best[number, : len(order)] = rows[order]
    return shared(best, exact)


def reading(folder: Path, queries: NDArray[np.float32]) -> list[str]:
    """Compare how long it takes to score rows of a matrix that is not in memory."""
    rng = np.random.default_rng(SEED)
    lines = ["scoring rows of a matrix on disk, anywhere in it: best, median, processor"]
    for rows in (200, 300, 400):
        for name, asked in (("asked for at once", True), ("as they are touched", False)):
            times, spent = [], []
            for _ in range(10):  # lest later queries find pages of earlier ones
                matrix = cold_matrix(folder)
                for query in queries[:4]:
                    drawn = rng.choice(len(matrix), rows, replace=False)
                    began, started = time.process_time(), time.perf_counter()
                    if asked:
                        matrix.best(query, drawn, K)
                    else:
                        matrix.rows[np.sort(drawn)].astype(np.float32) @ matrix.scaled(query)
                    times.append((time.perf_counter() - started) * 1000)
                    spent.append((time.process_time() - began) * 1000)
                del matrix  # pages that are mapped are not dropped
            timed = Timed(min(times), statistics.median(times), statistics.median(spent))
            lines.append(f"  {rows} rows, {name:<19} {timed}")
    return lines


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else SIZE
    faiss.omp_set_num_threads(2)
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        queries = make(Path(name), size)
        part = part_in(Path(name))
        write_matrix(Path(name), PartRows([part]), PROFILE.precision, lambda _: None)
        vectors = np.load(part.vectors)
        lines += finding(vectors, queries)
        lines += scanning(vectors[: size // 2], queries)
        lines += reading(Path(name), queries)
    print(*lines, sep="\n")
    write_results(
        "dense_variants",
        f"{size:,} clustered unit vectors of {DIMENSION}, seed {SEED}; {QUERIES} queries, {TIMED} "
        f"of them timed one by one, in turn with other variants; best of {ROUNDS} rounds; k {K}",
        lines,
    )


if __name__ == "__main__":
    main()
