"""Text parts of an index against Anserini's IndexCollection, from the same packed shards.

Ours: `BuildTextPart` in as many processes as there are cores, as a build does, which also checks
every line and writes the document store. The peer: one IndexCollection with as many threads,
positions and document vectors stored, in a process of its own. Both sides start from nothing, so
their virtual machines and imports count.

Run with: python -m benchmarks.bench_text_parts
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.interleaved import compare
from benchmarks.record import write_results
from sidelight.index.build import BuildTextPart, text_parts
from sidelight.index.engine import LocalEngine
from sidelight.index.lucene.jvm import find_jar, find_java
from sidelight.index.text.corpus import MS_MARCO
from tests.helpers.indexes.generated_collection import write_collection

SEGMENTS, SHARDS, ROUNDS = 100_000, 4, 2


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = write_collection(folder / "shards", SEGMENTS, shards=SHARDS, seed=1)
        figures = [
            compare(
                "text parts with document store, peer IndexCollection",
                lambda: build(shards, folder / "ours"),
                lambda: index_collection(folder / "shards", folder / "peer"),
                ROUNDS,
            )
        ]
    workload = (
        f"{SEGMENTS} generated segments in {SHARDS} gz shards (seed 1), {os.cpu_count()} processes "
        "of ours, as many threads of the peer; new processes each time"
    )
    write_results("text_parts", workload, figures)


def build(shards: list[Path], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    parts = text_parts(shards, MS_MARCO)
    work = BuildTextPart(folder, MS_MARCO, frozenset(part.name for part in parts), strict=True)
    reports = list(LocalEngine().map(work, parts))
    assert sum(shard.segments for report in reports for shard in report.shards) == SEGMENTS


def index_collection(shards: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    java = [find_java().home / "bin" / "java", "-Xmx1g", "-cp", find_jar()]
    options = ["-collection", "MsMarcoV2DocCollection", "-input", shards, "-index", folder]
    options += ["-generator", "DefaultLuceneDocumentGenerator", "-memoryBuffer", "256"]
    options += ["-threads", str(os.cpu_count()), "-storePositions", "-storeDocvectors"]
    command = [*java, "io.anserini.index.IndexCollection", *options]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
