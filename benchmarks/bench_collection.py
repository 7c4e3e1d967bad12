"""How the cost of an index grows: collections with the shape of MS MARCO V2.1, ten times apart.

Seconds, and the peak memory of the whole process tree, Java included, while reading, building,
searching and serving text by id.

Run with: python -m benchmarks.bench_collection [FOLDER]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.record import Figure, write_results
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from tests.helpers.indexes.generated_collection import write_collection, write_vectors_like

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES, SHARDS, QUERIES, K = (100_000, 1_000_000), 10, 50, 1000
# What a build leaves in its folder, in order, and what was then done.
STAGES = {
    "docstore": "text parts",
    "lucene": "merged",
    "vectors": "vectors",
    "manifest.json": "end",
}

READ = """
import sys
from pathlib import Path
from sidelight.index.text.corpus import MS_MARCO, ShardReader
for shard in sys.argv[1:]:
    for segment in ShardReader(Path(shard), MS_MARCO, strict=True).segments():
        pass
"""
SEARCH = """
import random, sys, time
from pathlib import Path
from itertools import islice
from sidelight.index.folder import open_index
from sidelight.retrieval.first_stage import open_retriever
from sidelight.schemas.investigation.evidence import Query

folder, count, k = open_index(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
docstore, rng = folder.docstore, random.Random(1)
texts = [segment.text for segment in islice(docstore, 5 * count)]
queries = [Query(query_id=str(n), text=" ".join(rng.sample(text.split(), 8)))
           for n, text in enumerate(rng.sample(texts, count))]
found = {}
for name in ("bm25", "dense"):
    retriever = open_retriever(name, folder)
    retriever.search(queries[:1], k)
    started = time.perf_counter()
    found[name] = retriever.search(queries, k)
    print(f"{name}, k {k}: {1000 * (time.perf_counter() - started) / count:.1f} ms a query")
started = time.perf_counter()
for hits in found["bm25"].values():
    docstore.get_many([hit.segment_id for hit in hits])
print(f"text of {k} hits: {1000 * (time.perf_counter() - started) / count:.1f} ms")
"""


class Cost(NamedTuple):
    """What a command took.

    Attributes:
        seconds: Wall clock.
        private: Peak of the tree's anonymous memory, in GiB.
        resident: Peak of its resident memory, in GiB; pages of files count once per process.
        reached: Seconds after which each file was first seen.
        output: What it printed.
    """

    seconds: float
    private: float
    resident: float
    reached: dict[str, float]
    output: str

    def __str__(self) -> str:
        return (
            f"{self.seconds:7.1f} s, peak {self.private:.2f} GiB private, "
            f"{self.resident:.2f} GiB resident"
        )


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        measured = [bench(folder / str(size), size) for size in SIZES]
    lines = [line for some, _ in measured for line in some]
    figures = [figure for _, some in measured for figure in some]
    workload = (
        f"generated collections of {' and '.join(map(str, SIZES))} segments in {SHARDS} gz shards "
        f"(seed 1), vectors of {Encoder().identity().dimension} numbers from parquet, profile "
        f"exact; {QUERIES} queries in one batch"
    )
    write_results("collection", workload, lines, figures)


def bench(folder: Path, size: int) -> tuple[list[str], list[Figure]]:
    shards = write_collection(folder / "shards", size, shards=SHARDS, seed=1)
    vectors = [write_parquet(shard) for shard in shards]
    packed = sum(shard.stat().st_size for shard in shards) / 1e6
    lines = [f"{size} segments, {packed:.0f} MB packed"]
    read = run([sys.executable, "-c", READ, *map(str, shards)])
    lines.append(f"  reading, one process {read}")
    index = folder / "index"
    command = [sys.executable, "-m", "sidelight.cli.main", "index", "build", "-o", str(index)]
    for path in vectors:
        command += ["--vectors", str(path)]
    built = run([*command, *map(str, shards)], index)
    lines.append(f"  building             {built}")
    stages = ", ".join(f"{what} at {built.reached[name]:.0f} s" for name, what in STAGES.items())
    lines.append(f"    {stages}")
    for part in ("docstore", "lucene", "vectors"):
        total = sum(path.stat().st_size for path in (index / part).iterdir())
        lines.append(f"    {part}: {total / 1e6:.0f} MB, {total / size:.0f} bytes a segment")
    searched = run([sys.executable, "-c", SEARCH, str(index), str(QUERIES), str(K)])
    lines.append(f"  searching, serving   {searched}")
    lines += [f"    {line}" for line in searched.output.splitlines()]
    print(*lines, sep="\n", flush=True)
    figures = [Figure(f"text parts of {size} segments", round(built.reached["docstore"]), "s")]
    for line in searched.output.splitlines():
        what, _, said = line.partition(": ")
        figures.append(Figure(f"{what}, {size} segments", float(said.split()[0]), "ms"))
    return lines, figures


def write_parquet(shard: Path) -> Path:
    """Write vectors for a shard's segments as published sets have them."""
    ids = [segment.segment_id for segment in ShardReader(shard, MS_MARCO).segments()]
    seed = int(shard.name.removesuffix(".json.gz")[-2:])
    folder = write_vectors_like(
        shard.parent / f"vectors-{seed}", ids, Encoder().identity().dimension, seed
    )
    rows = np.load(folder / "vectors.npy", mmap_mode="r")
    table = pa.table(
        {"docid": ids, "emb": pa.FixedSizeListArray.from_arrays(rows.ravel(), rows.shape[1])}
    )
    pq.write_table(table, folder / "vectors.parquet", compression="none", row_group_size=10_000)
    (folder / "vectors.npy").unlink()
    return folder / "vectors.parquet"


def run(command: Sequence[str], folder: Path | None = None) -> Cost:
    """Run a command, looking at its memory and its folder ten times a second."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peaks, reached = np.zeros(2), dict[str, float]()
    while process.poll() is None:
        peaks = np.maximum(peaks, memory(process.pid))
        for name in STAGES if folder else ():
            if name not in reached and (folder / name).exists():
                reached[name] = time.perf_counter() - started
        time.sleep(0.1)
    seconds = time.perf_counter() - started
    assert process.returncode == 0
    assert process.stdout
    for name in STAGES:
        reached.setdefault(name, seconds)
    private, resident = peaks / (1 << 20)
    return Cost(seconds, private, resident, reached, process.stdout.read())


def memory(root: int) -> tuple[int, int]:
    """Return the anonymous and the resident memory of a process and its descendants, in KiB."""
    parents, used = {}, {}
    for entry in Path("/proc").glob("[0-9]*/status"):
        try:
            status = dict(line.split(":", 1) for line in entry.read_text().splitlines())
        except OSError:
            continue  # it ended
        if "VmRSS" in status:
            pid = int(status["Pid"])
            parents[pid] = int(status["PPid"])
            used[pid] = [int(status[key].split()[0]) for key in ("RssAnon", "VmRSS")]
    tree = {root}
    while more := {pid for pid, parent in parents.items() if parent in tree} - tree:
        tree |= more
    private, resident = np.sum([used[pid] for pid in tree & used.keys()] or [[0, 0]], axis=0)
    return int(private), int(resident)


if __name__ == "__main__":
    main()
