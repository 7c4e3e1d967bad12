"""Whether memory stays flat: of a run over the public topics, and of the web app.

Run with: python -m benchmarks.bench_memory [ARTICLES]

1. `sidelight run` without a model over the 30 public topics, BM25 and dense over the articles
   themselves, one process.
2. `sidelight serve` over the mini web: 1,000 articles one after another, each with a word of its
   own, so that none is answered from an earlier one, in one round each; 20 finished ones are kept.

Resident memory of the process is read twice a second and after every tenth article. It is flat
where the last quarter is close to the second one. `docs/images/memory.png` shows both.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import orjson

from benchmarks.bench_agents import index_articles
from benchmarks.data import shared_data
from benchmarks.record import Figure, write_results
from sidelight.formats.topics import read_articles
from sidelight.sample import sample_path

if TYPE_CHECKING:
    from collections.abc import Sequence

ARTICLES, EVERY, PORT = 1_000, 10, 8797
ADDRESS = f"http://127.0.0.1:{PORT}"
PLOT = Path(__file__).parents[1] / "docs" / "images" / "memory.png"
COMMAND = (sys.executable, "-m", "sidelight.cli.main")


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process; 0 once it has ended."""
    try:
        fields = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").split("VmRSS:")
    except OSError:
        return 0.0
    return int(fields[1].split()[0]) / 1000 if fields[1:] else 0.0


def of_run(topics: Path, folder: Path) -> list[float]:
    """Return the memory of a run, twice a second."""
    index = index_articles(read_articles(topics), folder).path
    words = ("run", "--topics", topics, "--index", index, "-o", folder / "run")
    found = []
    with subprocess.Popen([*COMMAND, *map(str, words)], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            found.append(resident_mb(process.pid))
            time.sleep(0.5)
    return [one for one in found if one]


def ask(path: str, body: bytes | None = None) -> bytes:
    """Return what the web app answers."""
    request = urllib.request.Request(ADDRESS + path, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as reply:
        return bytes(reply.read())


def of_serve(folder: Path, count: int) -> list[float]:
    """Return the memory of the web app after every tenth article."""
    index = index_articles(read_articles(sample_path() / "documents.jsonl"), folder).path
    topics = [orjson.loads(one) for one in (sample_path() / "topics.jsonl").open("rb")]
    words = ["serve", "--index", index, "-o", folder / "served", "--port", PORT, "--keep", 20]
    words += ["--per-minute", 100_000, "--set", "retrieval.retriever=bm25"]
    words += ["--set", "investigation.max_rounds=1"]
    found = []
    with subprocess.Popen([*COMMAND, *map(str, words)], stdout=subprocess.DEVNULL) as process:
        try:
            await_start()
            for number in range(count):
                topic = topics[number % len(topics)]
                text = f"{topic['body']}\nCopy {number} of it."
                article = orjson.dumps({"title": topic["title"], "text": text})
                job = json.loads(ask("/investigations", article))["id"]
                ask(f"/investigations/{job}/events")  # until it is done
                if number % EVERY == EVERY - 1:
                    found.append(resident_mb(process.pid))
                    print(f"{number + 1} articles: {found[-1]:.0f} MB", flush=True)
        finally:
            process.terminate()
    return found


def await_start() -> None:
    """Wait until the web app answers; a minute at most."""
    for _ in range(60):
        try:
            ask("/")
        except urllib.error.URLError:
            time.sleep(1)
        else:
            return
    raise SystemExit("the web app does not answer")


def growth(values: Sequence[float]) -> float:
    """Return the mean of the last quarter over that of the second."""
    quarter = len(values) // 4
    return fmean(values[-quarter:]) / fmean(values[quarter : 2 * quarter])


def draw(run: Sequence[float], served: Sequence[float]) -> None:
    """Draw both."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    axes[0].plot([0.5 * place for place in range(len(run))], run)
    axes[0].set(title="run, 30 topics", xlabel="seconds", ylabel="resident MB", ylim=(0, None))
    axes[1].plot([EVERY * (place + 1) for place in range(len(served))], served)
    axes[1].set(title="serve", xlabel="articles", ylim=(0, None))
    figure.savefig(PLOT, dpi=120, metadata={"Software": None})


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else ARTICLES
    topics = shared_data() / "dragun-2025" / "topics.jsonl"
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        run, served = of_run(topics, Path(one)), of_serve(Path(other), count)
    draw(run, served)
    figures = [
        Figure("run, 30 topics: most", round(max(run)), "MB"),
        Figure("run, 30 topics: last quarter over second", round(growth(run), 2), "x"),
        Figure(f"serve, {count} articles: most", round(max(served)), "MB"),
        Figure(f"serve, {count} articles: last quarter over second", round(growth(served), 2), "x"),
    ]
    lines = [f"{one.name}: {one.value:g} {one.unit}" for one in figures]
    print("\n".join(lines))
    write_results("memory", f"30 topics; {count} articles, one after another", lines, figures)


if __name__ == "__main__":
    main()
