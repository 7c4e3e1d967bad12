import re
from functools import partial
from urllib.parse import urlsplit

import orjson
import pytest

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.schemas.topic import Article
from tests.helpers.commands import call
from tests.helpers.indexes.rest_server import NAME, Odd, RestServer

run = partial(call, "run")


def write_topics(path, *articles):
    lines = (
        {"docid": article.topic_id, **article.model_dump(exclude={"topic_id"})}
        for article in articles
    )
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


@pytest.fixture
def topics(mini_web_articles, tmp_path):
    """One article of the mini web, and one that holds nothing."""
    nothing = Article(topic_id="msmarco_v2.1_doc_99_1", body="")
    return write_topics(tmp_path / "topics.jsonl", mini_web_articles[0], nothing)


def test_a_failed_topic_is_named_and_makes_the_exit_code(topics, small_index, tmp_path):
    out = tmp_path / "run"
    command = ("--topics", topics, "--index", small_index.path, "--output", out)
    shown, errors = run(*command, code=1)
    assert shown.startswith("1 topic in ")
    assert re.search(r"^Seconds per step, .*\bsearch \d", shown, re.MULTILINE)
    assert "\nThe team id is sidelight, the default. " in shown
    assert f"  {out / 'traces'}\n" in shown
    assert "On 1 topic little or nothing was found" in shown
    assert errors == (
        "failed msmarco_v2.1_doc_99_1: InputError: msmarco_v2.1_doc_99_1: "
        "the article has neither title nor text\n"
    )
    (line,) = (out / "failures.jsonl").read_text().splitlines()
    assert orjson.loads(line)["topic_id"] == "msmarco_v2.1_doc_99_1"
    # A run without a finished topic has no traces; one of a team has its id.
    ids = ("--set", "submission.team_id=lamp", "--set", "submission.run_id=lamp-a")
    none = ("--topic", "msmarco_v2.1_doc_99_1", *ids, "--output", tmp_path / "none")
    shown, _ = run(*command[:-2], *none, code=1)
    assert "traces" not in shown
    assert "task1.tsv" not in shown
    assert f"  {tmp_path / 'none' / 'failures.jsonl'}\n" in shown
    assert "team id" not in shown
    # It is tried again, and fails again; what is finished stays.
    shown, errors = run(*command, "--json", code=1)
    summary = orjson.loads(shown)
    assert (summary["done"], len(summary["kept"]), len(summary["failures"])) == ([], 1, 1)


def test_an_index_of_ones_own_makes_a_run_that_only_cannot_be_handed_in(
    mini_web_articles, mini_web_segments, tmp_path
):
    shard, index, out = (tmp_path / name for name in ("own.jsonl", "index", "run"))
    keys = {"segment_id": "docid", "text": "segment"}
    with shard.open("wb") as lines:
        for number, one in enumerate(mini_web_segments):
            named = one.model_copy(update={"segment_id": f"own-{number}#0_0"})
            row = {keys.get(key, key): value for key, value in named.model_dump().items()}
            lines.write(orjson.dumps(row) + b"\n")
    call("index", "build", shard, "-o", index, "--profile", "none")
    topics = write_topics(tmp_path / "topics.jsonl", mini_web_articles[0])
    bm25 = ("--set", "retrieval.retriever=bm25")
    _, errors = run("--topics", topics, "--index", index, "--output", out, *bm25)
    cited = orjson.loads((out / "task2.jsonl").read_bytes())["responses"]
    n_cited = len({one for sentence in cited for one in sentence["citations"]})
    assert n_cited > 0
    assert errors.startswith("warning: this run cannot be handed in to the track dragun2025: ")
    assert errors.count("\n") == 1
    assert call("validate", out / "task2.jsonl", "--topics", topics, code=1)


def test_a_search_that_always_fails_costs_that_search_and_is_named(
    topics, small_index, tmp_path, monkeypatch, quick_backoff
):
    out, remote, page = tmp_path / "run", tmp_path / "remote", tmp_path / "page.html"
    with RestServer(small_index) as server:
        call("index", "remote", server.url, NAME, "-o", remote)
        found = server._found

        def fails_on_the_first(handler):
            first = not server.failing
            server.failing = server.failing or urlsplit(handler.path).query
            return Odd(500) if first else found(handler)

        monkeypatch.setattr(server, "_found", fails_on_the_first)
        command = ("--topics", topics, "--index", remote, "--output", out)
        bm25 = ("--set", "retrieval.retriever=bm25", "--topic", "msmarco_v2.1_doc_90_9184")
        shown, _ = run(*command, *bm25)
    assert "Searches failed on the index server and found nothing on 1 topic (" in shown
    assert "steps ran without" not in shown
    fallbacks = orjson.loads((out / "manifest.json").read_bytes())["fallbacks"]
    assert fallbacks == {"msmarco_v2.1_doc_90_9184": ["search"]}
    call("view", out, "-o", page)
    assert "The index server failed on searches" in page.read_text()


def test_topics_by_name_then_nothing_to_do(mini_web_articles, small_index, tmp_path):
    topics = write_topics(tmp_path / "topics.jsonl", *mini_web_articles)
    names = [mini_web_articles[0].topic_id, mini_web_articles[3].topic_id]
    command = ("--topics", topics, "--index", small_index.path, "--output", tmp_path / "run")
    command += tuple(part for name in names for part in ("--topic", name))
    assert sorted(orjson.loads(run(*command, "--json").stdout)["done"]) == sorted(names)
    assert run(*command).stdout.startswith("No topic was left: 2 topics finished before.\n")
    with pytest.raises(UsageError, match="other settings"):
        run(*command, "--set", "retrieval.k=5")


def test_what_cannot_be_run_is_said_at_once(topics, small_index, tmp_path):
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
    judged = ("--index", small_index.path, "--judge", "embedded", "--rubrics", rubrics)
    with pytest.raises(InputError, match="expected a folder with one rubric"):
        run(*command, *judged)
    assert not out.exists()
    with pytest.raises(MachineError, match="is not on this machine") as refused:
        run(*command, "--index", small_index.path, "--set", "retrieval.reranker=cross-encoder/none")
    assert "hf download cross-encoder/none" in refused.value.remedy
    assert not (out / "config.yaml").exists()
