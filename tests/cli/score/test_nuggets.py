from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import UsageError

TEXT = "The Peat Association pays half of the journal's budget."
RUN = {
    "run_id": "r",
    "topic_id": "1",
    "topic": "who pays?",
    "references": [],
    "response_length": 9,
    "answer": [{"text": TEXT, "citations": []}],
}
BANK = {
    "qid": "1",
    "nuggets": [
        {"text": "Peat Association pays half of the budget", "importance": "vital"},
        {"text": "The moon is made of cheese", "importance": "okay"},
    ],
}


def nuggets(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["score", "nuggets", *map(str, arguments)])
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.fixture
def given(tmp_path: Path) -> tuple[object, ...]:
    (tmp_path / "r").write_text(json.dumps(RUN) + "\n")
    (tmp_path / "nuggets.jsonl").write_text(json.dumps(BANK) + "\n")
    return tmp_path / "r", "--nuggets", tmp_path / "nuggets.jsonl", "--track", "rag2024"


def test_runs_are_assigned_and_scored(tmp_path: Path, given: tuple[object, ...]) -> None:
    out = tmp_path / "out"
    (found,) = json.loads(nuggets(*given, "--words-only", "--json", "-o", out))["runs"]
    assert found["run_tag"] == "r"
    assert (found["strict_vital_score"], found["all_score"]) == (1.0, 0.5)
    # What was assigned is scored again without being judged again.
    again = json.loads(nuggets(out / "nuggets_assignments.jsonl", "--json"))
    assert (again["labels"], again["runs"]) == ("human", [found])


def test_what_judges_needs_nuggets(given: tuple[object, ...]) -> None:
    with pytest.raises(UsageError, match="takes --nuggets"):
        nuggets(given[0], "--words-only")
    with pytest.raises(UsageError, match="has no labels of nuggets"):
        nuggets(*given[:3], "--track", "dragun2025")
