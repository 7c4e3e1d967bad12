"""Runs whose prompts a person answered, replayed: the same pages lead to the same files."""

from pathlib import Path

import pytest

from tests.helpers.models.by_hand import ByHandServer, investigate

RECORDED = Path(__file__).parents[1] / "fixtures" / "by_hand"
MAX_CALLS, MAX_PROMPT_TOKENS = 60, 150_000
TOPICS = sorted(path.name.partition(".")[0] for path in RECORDED.glob("*.jsonl.gz"))


@pytest.mark.parametrize("topic", TOPICS)
def test_what_a_person_answered_ends_in_the_same_files(
    topic, mini_web_articles, mini_web_segments, lexical_encode, tmp_path
):
    (article,) = (one for one in mini_web_articles if one.topic_id.endswith(topic))
    with ByHandServer(RECORDED / f"{topic}.jsonl.gz") as server:
        summary = investigate(
            article, mini_web_segments, lexical_encode, server.base_url, tmp_path / "run"
        )
    assert server.unanswered == []
    assert server.all_answered
    assert not [one for one in summary.problems if one.severity == "error"]
    assert summary.fallbacks == {}
    read = sum(len(one["content"]) for asked in server.requests for one in asked["messages"])
    assert len(server.requests) <= MAX_CALLS
    assert read / 4 <= MAX_PROMPT_TOKENS
    for name in ("task1.tsv", "task2.jsonl"):
        expected = (RECORDED / f"{topic}.{name}").read_text(encoding="utf-8")
        assert (tmp_path / "run" / name).read_text(encoding="utf-8") == expected
