from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InvalidFileError


def answer(run: str, text: str, *labels: str) -> dict[str, object]:
    items = ("Garrick Voss is a paid fellow of the institute.", "The bill passed in May.")
    nuggets = [
        {"text": item, "importance": "vital", "assignment": label}
        for item, label in zip(items, labels, strict=True)
    ]
    return {
        "query": "who is Garrick Voss",
        "qid": "t-1",
        "run_id": run,
        "answer_text": text,
        "nuggets": nuggets,
    }


SAID = answer(
    "a",
    "Garrick Voss is a paid fellow of the institute. The bill passed in May.",
    *("support", "support"),
)
NOT_SAID = answer("b", "Nothing is known about peat.", "not_support", "not_support")


def test_the_judge_is_held_against_labels_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl.gz"
    with gzip.open(path, "wt") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in (SAID, NOT_SAID))
    done = CliRunner().invoke(app, ["agree-people", str(path), "--words-only", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["n"] == 4
    assert found["runs"] == 2
    assert (found["kappa"], found["accuracy"], found["tau"]) == (1.0, 1.0, 1.0)


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(SAID) + "\n{broken\n")
    done = CliRunner().invoke(app, ["agree-people", str(path), "--words-only"])
    assert isinstance(done.exception, InvalidFileError)
    assert f"{path}:2" in str(done.exception)


@pytest.mark.slow
def test_people_and_the_shipped_judge_on_public_labels(shared_data: Path) -> None:
    """What it was fitted on: these figures say that it is the judge that was shipped."""
    path = shared_data / "rag-2024" / "nugget-assignments.jsonl.gz"
    done = CliRunner().invoke(app, ["agree-people", str(path), "--words-only", "--json"])
    assert json.loads(done.output)["kappa"] > 0.45
