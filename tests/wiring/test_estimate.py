import asyncio
import gzip
from pathlib import Path

import orjson
import pytest

from sidelight.config.load import load_settings
from sidelight.config.settings import Settings
from sidelight.errors import UsageError
from sidelight.formats.topics import read_articles
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import DEFAULT_ENCODER, Encoder
from sidelight.index.folder import open_index
from sidelight.index.text.corpus import write_segments
from sidelight.runs.runner import run_topics
from sidelight.sample import sample_path
from sidelight.schemas.topic import Article
from sidelight.wiring.estimate import check_asked, estimate_run
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import open_investigation, open_sources
from tests.helpers.commands import said, told
from tests.helpers.models.fault_server import FaultServer

ARTICLE = Article(topic_id="t-1", title="A title", body="Some words of an article. " * 200)


def settings(rounds=3, **roles):
    return Settings.model_validate(
        {
            "retrieval": {"retriever": "bm25"},
            "investigation": {"max_rounds": rounds},
            "roles": {"default": "prompted", **roles},
            "models": {"writer": {"name": "tiny"}},
        }
    )


def test_more_topics_rounds_and_words_cost_more():
    base = estimate_run(settings(), [ARTICLE]).total
    longer = ARTICLE.model_copy(update={"body": ARTICLE.body * 2})
    for other in (
        estimate_run(settings(), [ARTICLE] * 2),
        estimate_run(settings(rounds=4), [ARTICLE]),
        estimate_run(settings(), [longer]),
    ):
        assert other.total.prompt_tokens > base.prompt_tokens
        assert other.total.calls >= base.calls
        assert other.total.completion_tokens >= base.completion_tokens
    assert estimate_run(settings(), []).total.calls == 0


def test_only_roles_that_ask_are_counted():
    assert estimate_run(Settings(), [ARTICLE]).prompts == {}
    one = settings(default="extractive", write_questions="organizers-2024-example")
    assert list(estimate_run(one, [ARTICLE]).prompts) == ["organizers_2024"]


def test_cost_needs_both_prices():
    priced = {"prompt_price": 2.0, "completion_price": 10.0}
    free = settings()
    assert estimate_run(free, [ARTICLE]).total.cost is None
    paid = Settings.model_validate({**free.model_dump(), "servers": {"default": priced}})
    total = estimate_run(paid, [ARTICLE]).total
    expected = (2 * total.prompt_tokens + 10 * total.completion_tokens) / 1e6
    assert total.cost == pytest.approx(expected)


def test_a_ranker_is_priced_by_its_own_server():
    named = {"writer": {"name": "tiny"}, "ranker": {"name": "small", "server": "second"}}
    default = {"prompt_price": 2.0, "completion_price": 10.0}
    second = {"prompt_price": 7.0, "completion_price": 0.0}
    changes = {"retrieval": {"retriever": "bm25", "listwise_depth": 50}, "models": named}
    plain = settings().model_dump() | changes
    paid = Settings.model_validate({**plain, "servers": {"default": default, "second": second}})
    estimate = estimate_run(paid, [ARTICLE])
    ranking = estimate.prompts["rank"]
    assert ranking.cost == pytest.approx(7 * ranking.prompt_tokens / 1e6)
    assert estimate.total.cost == pytest.approx(
        sum(one.cost or 0 for one in estimate.prompts.values())
    )
    unpriced = Settings.model_validate({**plain, "servers": {"default": default}})
    assert estimate_run(unpriced, [ARTICLE]).total.cost is None


def test_the_command_needs_neither_server_nor_index(tmp_path):
    topics = tmp_path / "topics.jsonl"
    topics.write_bytes(orjson.dumps({"docid": "t-1", "title": "A", "body": ARTICLE.body}) + b"\n")
    command = ("run", "--topics", topics, "--index", tmp_path / "none", "--estimate")
    asked = ("--set", "roles.default=prompted", "--set", "models.writer.name=tiny")
    shown = said(*command, *asked)
    assert "in all, at most" in shown
    assert "expected" in shown
    assert "one call at a time" in shown
    assert told(*command, *asked)["total"]["calls"] > 0
    assert said(*command) == "No role asks a model: 0 calls.\n"


def test_what_is_expected_is_what_topics_cost_that_people_answered():
    calls, read, written = 0, 0, 0
    recordings = sorted((Path(__file__).parents[1] / "fixtures" / "by_hand").glob("*.jsonl.gz"))
    for recording in recordings:
        for call in map(orjson.loads, gzip.decompress(recording.read_bytes()).splitlines()):
            calls += 1
            read += len(call["user"]) // 4
            written += len(call["reply"]) // 4
    names = {recording.name.partition(".")[0] for recording in recordings}
    web = read_articles(sample_path() / "topics.jsonl")
    topics = [one for one in web if one.topic_id.removeprefix("msmarco_v2.1_doc_") in names]
    estimate = estimate_run(settings(), topics)
    # What was checked twice in later recordings, of which only the check is kept, was not in these.
    assert estimate.expected.calls == calls + len(topics) / 2
    assert estimate.expected.prompt_tokens == pytest.approx(read, rel=0.2)
    assert estimate.expected.completion_tokens == pytest.approx(written, rel=0.15)
    assert estimate.expected.calls < estimate.total.calls
    once = estimate_run(settings(rounds=1), topics)
    assert once.expected.calls < calls
    assert once.expected.calls <= once.total.calls


@pytest.mark.slow
@pytest.mark.parametrize(
    "chosen", [settings(), settings(rounds=1, write_questions="organizers-2024")]
)
def test_a_run_costs_what_was_estimated(shared_data, tmp_path, chosen):
    web = read_articles(shared_data / "dragun-2025" / "topics.jsonl")[:10]
    articles = web[1:5]
    segments = tmp_path / "segments.jsonl"
    write_segments(segments, web, lambda _: None)
    build_index([segments], tmp_path / "index", Encoder(DEFAULT_ENCODER))
    index = open_index(tmp_path / "index")
    with FaultServer() as server:
        access = ModelAccess(cache=tmp_path / "cache", base_url=server.base_url)
        summary = asyncio.run(
            run_topics(
                articles,
                chosen,
                index.manifest.plan.fingerprint(),
                lambda: open_investigation(chosen, open_sources(chosen.retrieval, index), access),
                tmp_path / "run",
            )
        )
    assert not summary.failures
    usage = summary.usage().values()
    estimate = estimate_run(chosen, articles).total
    calls = sum(one.calls - one.cached for one in usage)
    assert calls / 1.5 <= estimate.calls <= calls * 1.5
    # The server of the tests writes few and short claims, so that the steps that follow read less.
    read = sum(one.prompt_tokens for one in usage)
    assert read / 1.5 <= estimate.prompt_tokens <= read * 2
    assert sum(one.completion_tokens for one in usage) <= estimate.completion_tokens


def test_an_address_that_no_step_would_ask_is_refused(monkeypatch):
    plain, asking = load_settings(None), load_settings(None, ["roles.write_questions=prompted"])
    check_asked(plain, None)
    check_asked(asking, "http://localhost:8000/v1")
    with pytest.raises(UsageError, match="expected a step that asks a model, found none"):
        check_asked(plain, "http://localhost:8000/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")  # for whatever asks
    check_asked(plain, "http://localhost:8000/v1")
