"""Exact dense search and encoding on one GPU, at the size of the whole collection.

113,520,750 vectors of 256 numbers in half precision, drawn on the device, are searched in batches
of 1, 32 and 256 queries by `sidelight.index.vectors.vectors`, by torch as one would write it
(products and top k of pieces of a million rows) and, where faiss-gpu is installed, by FAISS Flat;
against the floor, the bytes read once at the bandwidth that a plain copy reaches. Then the bundled
encoder in bfloat16. With less memory than that, fewer vectors; without a GPU nothing is measured,
but the same code is run on the processor over a few vectors, and what would be needed is said.

Needs: one GPU with 80 GB or more (a 141 GB one for FAISS besides), torch for CUDA; faiss-gpu to
compare with it. Nothing is downloaded.

Run with: python -m benchmarks.bench_gpu_dense
"""

from __future__ import annotations

import statistics
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np
import torch

from benchmarks.record import write_results
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.vectors.capacity import N_SEGMENTS
from sidelight.index.vectors.vectors import DeviceRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

DIMENSION, K, ROUNDS, SEED = 256, 1000, 7, 1
BATCHES = 1, 32, 256
PIECE = 1 << 20
CHECKED = 1_000_000
SELF_CHECK = 20_000
# Left for scores and for what else is on the GPU.
FILLED = 0.75
TEXTS, WORDS = 4096, 170


def make_rows(count: int, device: str) -> torch.Tensor:
    """Draw unit vectors on the device, piece by piece."""
    generator = torch.Generator(device).manual_seed(SEED)
    rows = torch.empty(count, DIMENSION, dtype=torch.float16, device=device)
    for start in range(0, count, PIECE):
        piece = torch.randn(
            min(PIECE, count - start), DIMENSION, generator=generator, device=device
        )
        rows[start : start + PIECE] = torch.nn.functional.normalize(piece).half()
    return rows


def by_torch(
    rows: torch.Tensor, queries: torch.Tensor, k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Search the way one would write it: top k of each piece, then of all."""
    scores, ids = [], []
    for start in range(0, len(rows), PIECE):
        piece = rows[start : start + PIECE]
        best = torch.topk(queries @ piece.T, min(k, len(piece)), dim=1)
        scores.append(best.values)
        ids.append(best.indices + start)
    best = torch.topk(torch.cat(scores, 1), k, dim=1)
    return best.values, torch.cat(ids, 1).gather(1, best.indices)


def milliseconds(device: str, work: Callable[[], object]) -> float:
    """Return the median time after one round to warm up; the device is waited for."""
    times = []
    for _ in range(ROUNDS + 1):
        started = time.perf_counter()
        work()
        if device != "cpu":
            torch.cuda.synchronize()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times[1:])


def floor(rows: torch.Tensor) -> float:
    """Return the milliseconds that reading all rows takes at the bandwidth a copy reaches."""
    piece = rows[: 4 * PIECE]
    other = torch.empty_like(piece)
    copied = milliseconds(str(rows.device), lambda: other.copy_(piece))
    return copied / 2 * len(rows) / len(piece)  # a copy reads and writes


def check(rows: torch.Tensor, queries: NDArray[np.float32], k: int) -> float:
    """Return the share of the exact best `k`, in single precision, that our search finds."""
    some = rows[:CHECKED]
    _, found = DeviceRows(some, 0).begin(queries, k)
    exact = torch.from_numpy(queries).to(rows.device) @ some.float().T
    best = torch.topk(exact, k, dim=1).indices
    pairs = zip(found.tolist(), best.tolist(), strict=True)
    return statistics.mean(len(set(ours) & set(theirs)) / k for ours, theirs in pairs)


def faiss_search(rows: torch.Tensor) -> Any:
    """Return what searches rows with FAISS where they lie, or None where it cannot."""
    if rows.device.type == "cpu" or not hasattr(faiss, "StandardGpuResources"):
        return None
    import_module("faiss.contrib.torch_utils")  # lets FAISS take tensors
    resources = faiss.StandardGpuResources()
    return lambda queries: faiss.knn_gpu(
        resources, queries, rows, K, metric=faiss.METRIC_INNER_PRODUCT
    )


def search_figures(rows: torch.Tensor) -> list[str]:
    device = str(rows.device)
    ours = DeviceRows(rows, 0)
    with_faiss = faiss_search(rows)
    rng = np.random.default_rng(SEED)
    k = min(K, len(rows) // 4)
    lowest = floor(rows)
    figures = [f"floor: {rows.nbytes / 1e9:.1f} GB read once, {lowest:.2f} ms"]
    for batch in BATCHES:
        queries = rng.standard_normal((batch, DIMENSION), dtype=np.float32)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        half = torch.from_numpy(queries).to(rows.device, torch.float16)
        mine = milliseconds(device, lambda queries=queries: ours.begin(queries, k))
        peer = milliseconds(device, lambda half=half: by_torch(rows, half, k))
        line = (
            f"batch {batch:>3}: {mine:.2f} ms, {mine / lowest:.2f} x the floor; torch in pieces "
            f"{peer:.2f} ms, {peer / mine:.2f}x as slow"
        )
        if with_faiss:
            other = milliseconds(device, lambda half=half: with_faiss(half))
            line += f"; FAISS {other:.2f} ms, {other / mine:.2f}x as slow"
        figures.append(line)
    same = check(rows, queries[:32], k)
    assert same >= 0.99, same
    some = min(CHECKED, len(rows))
    return [*figures, f"best {k} of the first {some:,} as in single precision: {same:.4f}"]


def encoding_figures() -> list[str]:
    rng = np.random.default_rng(SEED)
    words = [f"{a}{b}" for a in ("lake", "stone", "river", "paper") for b in ("", "s", "side")]
    texts = [" ".join(rng.choice(words, WORDS)) for _ in range(TEXTS)]
    encoder = Encoder()
    encoder.encode_documents(texts[:64])
    started = time.perf_counter()
    encoder.encode_documents(texts)
    seconds = time.perf_counter() - started
    return [f"encoding: {TEXTS / seconds:.0f} texts of {WORDS} words a second, {encoder.name}"]


def main() -> None:
    if not torch.cuda.is_available():
        figures = search_figures(make_rows(SELF_CHECK, "cpu"))
        print(*figures, sep="\n")
        print(
            f"\nThat was a check of the code on {SELF_CHECK:,} vectors. To measure, this needs one "
            f"GPU with 80 GB ({N_SEGMENTS:,} vectors of {DIMENSION} in half precision are "
            f"{N_SEGMENTS * DIMENSION * 2 / 1e9:.1f} GB) and torch for CUDA; with faiss-gpu it is "
            "compared with FAISS, too."
        )
        return
    room = torch.cuda.get_device_properties(0).total_memory * FILLED
    count = min(N_SEGMENTS, int(room) // (DIMENSION * 2))
    figures = search_figures(make_rows(count, "cuda:0")) + encoding_figures()
    print(*figures, sep="\n")
    write_results(
        "gpu_dense",
        f"{count:,} random unit vectors of {DIMENSION} in half precision drawn on "
        f"{torch.cuda.get_device_name()}, k {K}, medians of {ROUNDS}; torch {torch.__version__}",
        figures,
    )


if __name__ == "__main__":
    main()
