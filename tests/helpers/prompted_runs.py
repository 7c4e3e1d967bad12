"""Whole runs by the command line, every step with a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.sample import sample_path

SETTINGS = """\
submission: {run_id: sidelight-prompted}
retrieval: {retriever: bm25}
roles: {default: prompted}
models: {writer: {name: tiny}}
"""
# One round of searches with few hits, for what does not depend on how far an investigation goes.
SHORT = ("--set=investigation.max_rounds=1", "--set=retrieval.k=5")
# Calls and cached replies hold times; a lock holds nothing.
_NOT_OF_RESULTS = {"calls", "cache", ".lock"}


def write_inputs(folder: Path, n_topics: int) -> tuple[str, ...]:
    """Write a configuration and the first topics of the mini web; return their options."""
    config, topics = folder / "prompted.yaml", folder / "topics.jsonl"
    config.write_text(SETTINGS)
    lines = (sample_path() / "topics.jsonl").read_text().splitlines(keepends=True)
    topics.write_text("".join(lines[:n_topics]))
    return "--config", str(config), "--topics", str(topics)


def run(*options: object) -> dict[str, Any]:
    """Run topics, and return the summary.

    Raises:
        SidelightError: What the command would say.
    """
    result = CliRunner().invoke(app, ["run", "--json", *map(str, options)])
    if result.exception is not None:
        raise result.exception
    summary: dict[str, Any] = orjson.loads(result.stdout)
    return summary


def files(out: Path) -> dict[str, bytes]:
    """The files that two runs of the same must share, by name."""
    return {
        str(name): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and (name := path.relative_to(out)).parts[0] not in _NOT_OF_RESULTS
    }
