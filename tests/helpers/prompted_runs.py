"""Whole runs by the command line, every step with a model."""

import sqlite3
from contextlib import closing
from typing import Any

from sidelight.formats.topics import read_narratives
from sidelight.formats.topics import write_narratives as write_narrative_file
from sidelight.sample import sample_path
from sidelight.schemas.topic import Narrative
from tests.helpers.commands import told

SETTINGS = """\
submission: {run_id: sidelight-prompted}
retrieval: {retriever: bm25}
roles: {default: prompted}
models: {writer: {name: tiny}}
"""
# The same of a track of narratives, where a model orders what is found and writes.
NARRATIVE_SETTINGS = """\
track: rag2025
submission: {run_id: sidelight-prompted}
retrieval: {retriever: bm25, k: 40, listwise_depth: 100}
roles: {write_report: prompted-answer}
models: {writer: {name: tiny}}
"""
# One round of searches with few hits, for what does not depend on how far an investigation goes.
SHORT = ("--set=investigation.max_rounds=1", "--set=retrieval.k=5")
# Calls and cached replies hold times; a lock holds nothing.
_NOT_OF_RESULTS = {"calls", "cache", ".lock"}


def write_inputs(folder, n_topics):
    """Write a configuration and the first topics of the mini web; return their options."""
    config, topics = folder / "prompted.yaml", folder / "topics.jsonl"
    config.write_text(SETTINGS)
    lines = (sample_path() / "topics.jsonl").read_text().splitlines(keepends=True)
    topics.write_text("".join(lines[:n_topics]))
    return "--config", str(config), "--topics", str(topics)


def write_narratives(folder, n_topics):
    """Write a configuration and as many narratives, which take turns; return their options."""
    config, topics = folder / "narratives.yaml", folder / "narratives.jsonl"
    config.write_text(NARRATIVE_SETTINGS)
    known = read_narratives(sample_path() / "narratives.jsonl")
    # Each is worded otherwise: models are asked once for what is spelled alike.
    chosen = (
        Narrative(
            topic_id=f"narrative-{number}",
            narrative=f"For report {number}: {known[number % len(known)].narrative}",
            sub_questions=(f"{known[number % len(known)].narrative} (report {number})",),
        )
        for number in range(n_topics)
    )
    write_narrative_file(topics, chosen)
    return "--config", str(config), "--topics", str(topics)


def run(*options):
    """Run topics, and return the summary."""
    summary: dict[str, Any] = told("run", *options)
    return summary


def n_rows(cache, table, kind=""):
    """Count what a cache keeps: `replies`, or `failures`, those of one kind or all."""
    like = f' WHERE failure LIKE \'{{"kind":"{kind}"%\'' if kind else ""
    with closing(sqlite3.connect(cache / "replies.sqlite")) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}{like}").fetchone()[0])


def files(out):
    """The files that two runs of the same must share, by name."""
    return {
        str(name): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and (name := path.relative_to(out)).parts[0] not in _NOT_OF_RESULTS
    }
