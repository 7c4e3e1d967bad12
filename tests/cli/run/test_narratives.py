"""A track whose topics are narratives: run, checked, packed, shown and run again."""

from pathlib import Path

import orjson
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.sample import sample_path

CONFIG = Path(__file__).resolve().parents[3] / "configs" / "rag2025" / "extractive.yaml"
TOPICS = sample_path() / "narratives.jsonl"


def sidelight(*arguments, code=0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result.output


def test_narratives_become_a_submission(mini_web_index, tmp_path):
    out = tmp_path / "run"
    command = ("run", "--config", CONFIG, "--topics", TOPICS, "--index", mini_web_index.path)
    shown = sidelight(*command, "--output", out)
    assert shown.startswith("2 topics in ")
    assert "retrieval.trec" in shown
    assert "answers.jsonl" in shown
    made = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    lines = [orjson.loads(line) for line in made["answers.jsonl"].splitlines()]
    assert [line["metadata"]["narrative_id"] for line in lines] == ["peat", "veltose"]
    assert all(line["references"] for line in lines)

    assert sidelight(*command, "--output", out).startswith("Nothing to do: 2 topics")
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == made

    rules = ("--track", "rag2025", "--topics", TOPICS)
    files = (out / "answers.jsonl", out / "retrieval.trec", TOPICS)
    checked = sidelight("validate", *rules, "--index", mini_web_index.path, *files)
    assert checked.splitlines() == [
        f"{files[0]}: valid Retrieval-augmented generation run, 2 topics",
        f"{files[1]}: valid Retrieval run, 2 topics",
        f"{files[2]}: valid topics file, 2 topics",
    ]
    sidelight("validate", files[0], code=1)  # to another track it is no run

    sidelight("pack", out, "-o", tmp_path / "packed", *rules)
    assert {path.name for path in (tmp_path / "packed").iterdir()} == {
        "runs.csv",
        "sidelight-extractive-r",
        "sidelight-extractive-rag",
    }
    sidelight("view", out, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Narrative peat" in page
    assert "Questions to ask" not in page


def test_narratives_that_are_articles_are_refused(mini_web_index, tmp_path):
    articles = sample_path() / "topics.jsonl"
    command = ("run", "--config", CONFIG, "--topics", articles, "--index", mini_web_index.path)
    result = CliRunner().invoke(app, [*map(str, command), "-o", str(tmp_path / "run")])
    assert result.exception is not None
    assert "id and title" in str(result.exception)
