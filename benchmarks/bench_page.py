"""Bytes of the page of a run: for a topic, and for as many as the track has.

Run with: python -m benchmarks.bench_page

A run without a model over the webs for development, whose pages are as long as real ones; its page
with everything that the run leaves. When a page is first painted, the browser's tests measure.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from benchmarks.bench_agents import index_articles
from benchmarks.bench_memory import COMMAND
from benchmarks.record import Figure, write_results
from benchmarks.unseen import lay_out, read_webs
from sidelight.formats.topics import read_articles

TOPICS = 30


def command(*words: object) -> None:
    subprocess.run([*COMMAND, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    webs = read_webs("development")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(webs, folder)
        index = index_articles(read_articles(folder / "documents.jsonl"), folder).path
        topics = folder / "topics.jsonl"
        command("run", "--topics", topics, "--index", index, "-o", folder / "run")
        command("view", folder / "run", "--topics", topics, "-o", folder / "page.html")
        size = (folder / "page.html").stat().st_size
    figures = [
        Figure("page, bytes a topic", round(size / len(webs) / 1000), "KB"),
        Figure(f"page, {TOPICS} such topics", round(TOPICS * size / len(webs) / 1e6, 1), "MB"),
    ]
    lines = [f"{one.name}: {one.value:g} {one.unit}" for one in figures]
    print("\n".join(lines))
    write_results("page", f"{len(webs)} webs for development, without a model", lines, figures)


if __name__ == "__main__":
    main()
