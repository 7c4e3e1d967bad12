"""How long a person waits for the first sign of life, each time in a new process.

Run with: python -m benchmarks.bench_startup
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.interleaved import compare
from benchmarks.record import write_results
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
    environment = {
        **os.environ,
        "JAVA_HOME": str(java),
        "JVM_PATH": str(java / "lib" / "server" / "libjvm.so"),
        "OPENAI_API_KEY": "unused",  # pyserini makes a client when it is imported
    }
    subprocess.run(command, check=True, capture_output=True, env=environment)


def main() -> None:
    python = sys.executable
    with tempfile.TemporaryDirectory() as name:
        folder = str(Path(name) / "lucene")
        write_lucene(Path(folder), [Segment(segment_id="a", text="a word")])
        peer = partial(run, python, "-c", PEER, folder, str(find_jar()))
        command = [python, "-m", "sidelight.cli.main"]
        topics = str(sample_path() / "topics.jsonl")
        comparisons = [
            compare(title, partial(run, *ours), peer, rounds=3)
            for title, ours in [
                ("sidelight --help", [*command, "--help"]),
                ("sidelight validate", [*command, "validate", topics]),
                ("first BM25 hit", [python, "-c", OURS, folder]),
            ]
        ]
    workload = "new processes; the peer is always the first hit of pyserini's LuceneSearcher"
    write_results("startup", workload, comparisons)


if __name__ == "__main__":
    main()
