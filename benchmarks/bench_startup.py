"""How long a person waits for the first sign of life, each time in a new process.

Run with: python -m benchmarks.bench_startup
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import orjson

from benchmarks.interleaved import compare
from benchmarks.record import Figure, write_results
from sidelight.index.lucene.jvm import find_jar, find_java
from sidelight.index.lucene.segments import write_lucene
from sidelight.sample import sample_path
from sidelight.schemas.segment import Segment

OURS = """
import sys
from pathlib import Path
from sidelight.index.lucene.segments import LuceneIndex
from sidelight.retrieval.first_stage import Bm25Retriever
from sidelight.schemas.investigation.evidence import Query
found = Bm25Retriever(LuceneIndex(Path(sys.argv[1]))).search([Query(query_id="q", text="word")], 1)
assert found["q"][0].segment_id == "a"
"""
# The JVM is started first because pyserini asks for a module that small runtimes lack.
PEER = """
import sys
import jnius_config
jnius_config.set_classpath(sys.argv[2])
import jnius
from pyserini.search.lucene import LuceneSearcher
assert LuceneSearcher(sys.argv[1]).search("word", 1)[0].docid == "a"
"""


def run(*command: str) -> None:
    java = find_java().home
    # Installed modules are compiled once; the first run, which warms up, does so.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {
        **kept,
        "JAVA_HOME": str(java),
        "JVM_PATH": str(java / "lib" / "server" / "libjvm.so"),
        "OPENAI_API_KEY": "unused",  # pyserini makes a client when it is imported
    }
    subprocess.run(command, check=True, capture_output=True, env=environment)


def write_topics(path: Path, count: int) -> None:
    """Write a file of so many topics: those of the sample, again and again under other ids."""
    known = [orjson.loads(one) for one in (sample_path() / "topics.jsonl").open("rb")]
    made = (
        {**known[number % len(known)], "docid": f"msmarco_v2.1_doc_1_{number}"}
        for number in range(count)
    )
    path.write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in made))


def processor_time(*command: str, rounds: int = 9) -> float:
    """Return the least time of the processor that a process took, user and system, in seconds."""
    least = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(*command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        least = min(least, taken)
    return round(least, 3)


def main() -> None:
    python = sys.executable
    with tempfile.TemporaryDirectory() as name:
        folder = str(Path(name) / "lucene")
        write_lucene(Path(folder), [Segment(segment_id="a", text="a word")])
        peer = partial(run, python, "-c", PEER, folder, str(find_jar()))
        command = [python, "-m", "sidelight.cli.main"]
        topics = Path(name) / "topics.jsonl"
        write_topics(topics, 30)
        works = {
            "import sidelight": [python, "-c", "import sidelight"],
            "sidelight --help": [*command, "--help"],
            "sidelight validate": [*command, "validate", str(topics)],
            "first BM25 hit": [python, "-c", OURS, folder],
        }
        comparisons = [
            compare(title, partial(run, *ours), peer, rounds=3) for title, ours in works.items()
        ]
        floors = {
            "Python alone": [python, "-c", ""],
            "typer and pydantic alone": [python, "-c", "import typer._adapters"],
        }
        taken = [
            Figure(f"{title}, processor time", processor_time(*ours), "s")
            for title, ours in (floors | works).items()
        ]
    workload = (
        "new processes; validate reads 30 topics; the peer is always the first hit of pyserini's "
        "LuceneSearcher; processor time is user and system, the least of nine"
    )
    lines = [f"{one.name}: {one.value:.3f} {one.unit}" for one in taken]
    write_results("startup", workload, [*comparisons, *lines], taken)


if __name__ == "__main__":
    main()
