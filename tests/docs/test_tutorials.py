"""What the tutorials say to type works, in their order, and prints what they say."""

import shutil
from pathlib import Path

import pytest

from sidelight.sample import sample_path
from tests.helpers.indexes.rest_server import NAME, RestServer
from tests.helpers.recipes import carry_out, read_tutorial

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def clone(tmp_path, mini_web_index):
    """What a reader has after `make demo`, with one article instead of five."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "activate").touch()
    (tmp_path / "sidelight-demo").mkdir()
    (tmp_path / "sidelight-demo" / "index").symlink_to(mini_web_index.path)
    data = tmp_path / "sidelight" / "sample" / "data"
    shutil.copytree(sample_path(), data)
    topics = data / "topics.jsonl"
    topics.write_text(topics.read_text("utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_changed_retriever(clone):
    carry_out(read_tutorial(DOCS / "tutorial.md"), clone)
    means = (clone / "runs" / "tuning" / "means.csv").read_text(encoding="utf-8").splitlines()
    assert {line.split(",")[0] for line in means[1:]} == {"bm25", "tuned", "hybrid"}
    assert (clone / "tuned.html").is_file()


def test_a_judge_of_ones_own(clone):
    carry_out(read_tutorial(DOCS / "tutorial_judge.md"), clone)
    assert (clone / "runs" / "judged" / "scores" / "funnel.csv").is_file()


def test_a_submission_over_rest(clone, mini_web_index):
    (clone / "configs").symlink_to(DOCS.parent / "configs")
    token = "a-token-of-nobody"
    with RestServer(mini_web_index, token=token) as server:
        carry_out(
            read_tutorial(DOCS / "tutorial_rest.md"),
            clone,
            SERVER=server.url,
            INDEX_NAME=NAME,
            PYSERINI_API_TOKEN=token,
            TOPICS="sidelight/sample/data/topics.jsonl",
        )
        assert server.requests
    kept = (path for path in clone.rglob("*") if path.is_file() and path.name != ".variables")
    assert not any(token.encode() in path.read_bytes() for path in kept)
