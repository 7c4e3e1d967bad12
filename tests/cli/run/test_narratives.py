"""A track whose topics are narratives: run, checked, packed, shown and run again."""

import re
from pathlib import Path

import orjson
import pytest

from sidelight.errors import InputError
from sidelight.sample import sample_path
from tests.helpers.commands import said

CONFIG = Path(__file__).resolve().parents[3] / "configs" / "rag2025" / "extractive.yaml"
TOPICS = sample_path() / "narratives.jsonl"


def test_narratives_become_a_submission(mini_web_index, tmp_path):
    out = tmp_path / "run"
    command = ("run", "--config", CONFIG, "--topics", TOPICS, "--index", mini_web_index.path)
    assert re.match(
        r"2 topics in (?s:.*)Seconds per step, .*\bsearch \d", said(*command, "-o", out)
    )
    made = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    lines = [orjson.loads(line) for line in made["answers.jsonl"].splitlines()]
    assert [line["metadata"]["narrative_id"] for line in lines] == ["peat", "veltose"]
    assert all(line["references"] for line in lines)

    assert said(*command, "--output", out).startswith("No topic was left: 2 topics")
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == made

    rules = ("--track", "rag2025", "--topics", TOPICS)
    files = (out / "answers.jsonl", out / "retrieval.trec", TOPICS)
    checked = said("validate", *rules, "--index", mini_web_index.path, *files)
    rows = [line.strip("│").split("│") for line in checked.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows] == [
        [str(files[0]), "Retrieval-augmented generation run", "valid, 2 topics"],
        [str(files[1]), "Retrieval run", "valid, 2 topics"],
        [str(files[2]), "topics file", "valid, 2 topics"],
    ]
    assert checked.endswith("\n3 valid, 0 invalid\n")
    said("validate", files[0], code=1)  # to another track it is no run
    said("view", out, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Narrative peat" in page
    assert "Questions to ask" not in page
    inputs = ("--topics", TOPICS, "--index", mini_web_index.path)
    assert "is identical" in said("bundle", out, *inputs, "-o", tmp_path / "run.tar.zst")


def test_narratives_that_are_articles_are_refused(mini_web_index, tmp_path):
    articles = sample_path() / "topics.jsonl"
    command = ("run", "--config", CONFIG, "--topics", articles, "--index", mini_web_index.path)
    with pytest.raises(InputError, match="id and title"):
        said(*command, "-o", tmp_path / "run")
