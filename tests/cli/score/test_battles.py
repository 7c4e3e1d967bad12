"""Battles on the command line: judged once, and replayed with the endpoint off."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from sidelight.errors import OfflineError, UsageError
from tests.helpers.commands import said
from tests.helpers.models.fault_server import FaultServer


def line(run: str, topic: str, text: str) -> str:
    content = {
        "run_id": run,
        "topic_id": topic,
        "topic": "who pays?",
        "references": [],
        "response_length": len(text.split()),
        "answer": [{"text": text, "citations": []}],
    }
    return json.dumps(content) + "\n"


battles = partial(said, "score", "battles")


@pytest.fixture
def given(tmp_path: Path) -> tuple[object, ...]:
    for run in ("a", "b"):
        answers = (line(run, str(n), f"Answer {n} of {run}.") for n in range(3))
        (tmp_path / run).write_text("".join(answers))
    (tmp_path / "topics.tsv").write_text("".join(f"{n}\twho pays?\n" for n in range(3)))
    topics = ("--topics", tmp_path / "topics.tsv", "--track", "rag2024", "--model", "tiny")
    return tmp_path / "a", tmp_path / "b", *topics


def test_battles_are_judged_once_and_replayed_without_a_server(
    tmp_path: Path, given: tuple[object, ...]
) -> None:
    out = tmp_path / "out"
    with FaultServer() as server:
        made = json.loads(battles(*given, "--base-url", server.base_url, "-o", out, "--json"))
        assert server.stats().calls == 6
    # The endpoint is gone, and an address that never was changes nothing: keys do not hold it.
    again = (*given, "--cache", out / "replies", "--offline", "--json")
    assert json.loads(battles(*again, "--base-url", "http://127.0.0.1:9/v1")) == made
    assert sum(one["won"] + one["tied"] + one["lost"] for one in made["runs"]) == 6
    assert (out / "battles.csv").read_text().startswith("topic_id,first,second,won,reason\n")
    with pytest.raises(OfflineError):
        battles(*given, "--cache", tmp_path / "empty", "--offline")


def test_replies_need_a_folder(given: tuple[object, ...]) -> None:
    with pytest.raises(UsageError, match="replies need a folder"):
        battles(*given)
