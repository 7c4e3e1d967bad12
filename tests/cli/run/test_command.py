from __future__ import annotations

from functools import partial
from pathlib import Path

import orjson
import pytest

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.index.folder import IndexFolder
from sidelight.schemas.topic import Article
from tests.helpers.commands import call

run = partial(call, "run")


def write_topics(path: Path, *articles: Article) -> Path:
    lines = (
        {"docid": article.topic_id, **article.model_dump(exclude={"topic_id"})}
        for article in articles
    )
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


@pytest.fixture
def topics(mini_web_articles: tuple[Article, ...], tmp_path: Path) -> Path:
    """One article of the mini web, and one that holds nothing."""
    nothing = Article(topic_id="msmarco_v2.1_doc_99_1", body="")
    return write_topics(tmp_path / "topics.jsonl", mini_web_articles[0], nothing)


def test_a_failed_topic_is_named_and_makes_the_exit_code(
    topics: Path, small_index: IndexFolder, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    command = ("--topics", topics, "--index", small_index.path, "--output", out)
    shown, errors = run(*command, code=1)
    assert shown.startswith("1 topic in ")
    assert "Shorter than allowed, for too little evidence: 1 report" in shown
    assert errors == (
        "failed msmarco_v2.1_doc_99_1: InputError: msmarco_v2.1_doc_99_1: "
        "the article has neither title nor text\n"
    )
    (line,) = (out / "failures.jsonl").read_text().splitlines()
    assert orjson.loads(line)["topic_id"] == "msmarco_v2.1_doc_99_1"
    # It is tried again, and fails again; what is finished stays.
    shown, errors = run(*command, "--json", code=1)
    summary = orjson.loads(shown)
    assert (summary["done"], len(summary["kept"]), len(summary["failures"])) == ([], 1, 1)


def test_one_topic_then_nothing_to_do(
    topics: Path, small_index: IndexFolder, tmp_path: Path
) -> None:
    topic_id = "msmarco_v2.1_doc_90_9184"
    command = ("--topics", topics, "--index", small_index.path, "--output", tmp_path / "run")
    run(*command, "--topic", topic_id)
    shown, _ = run(*command, "--topic", topic_id)
    assert shown.startswith("Nothing to do: 1 topic finished before.\n")
    with pytest.raises(UsageError, match="other settings"):
        run(*command, "--set", "retrieval.k=5")


def test_what_cannot_be_run_is_said_at_once(
    topics: Path, small_index: IndexFolder, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    command = ("--topics", topics, "--output", out)
    with pytest.raises(UsageError, match=r"--topic x: .* has no such topic"):
        run(*command, "--index", small_index.path, "--topic", "x")
    with pytest.raises(InputError, match="expected an index"):
        run(*command, "--index", tmp_path)
    with pytest.raises(UsageError, match="names a rubric"):
        run(*command, "--index", small_index.path, "--set", "track=rubric")
    rubrics = tmp_path / "rubrics"
    rubrics.mkdir()
    with pytest.raises(InputError, match="expected a folder with one rubric"):
        run(*command, "--index", small_index.path, "--judge", "embedded", "--rubrics", rubrics)
    assert not out.exists()
    with pytest.raises(MachineError, match="is not on this machine") as refused:
        run(*command, "--index", small_index.path, "--set", "retrieval.reranker=cross-encoder/none")
    assert "hf download cross-encoder/none" in refused.value.remedy
    assert not (out / "config.yaml").exists()


def test_topics_may_be_named_one_by_one(
    mini_web_articles: tuple[Article, ...], small_index: IndexFolder, tmp_path: Path
) -> None:
    topics = write_topics(tmp_path / "topics.jsonl", *mini_web_articles)
    names = [mini_web_articles[0].topic_id, mini_web_articles[3].topic_id]
    command = ("--topics", topics, "--index", small_index.path, "--output", tmp_path / "run")
    shown, _ = run(*command, *(part for name in names for part in ("--topic", name)), "--json")
    assert sorted(orjson.loads(shown)["done"]) == sorted(names)
