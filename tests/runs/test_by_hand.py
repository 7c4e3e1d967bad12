"""Runs whose prompts a person answered, replayed: the same pages lead to the same files."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from sidelight.generation.prompted.check_report import PromptedChecker
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import DraftReport
from sidelight.schemas.segment import Segment
from tests.helpers.asking.conversation import scripted
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


CHECKS = sorted((RECORDED / "checks").glob("*.json.gz"))


@pytest.mark.parametrize("path", CHECKS, ids=lambda path: path.name.partition(".")[0])
def test_a_report_that_a_person_checked_is_what_was_submitted(path):
    """On texts that no rule was written from: what the person called supported stands.

    The file has what the check was given, what the person replied to it, and the report.
    """
    known = json.loads(gzip.decompress(path.read_bytes()))
    asked = scripted(*map(json.dumps, known["replies"]))
    evidence = [
        Evidence(segment=Segment.model_validate(one), relevance={"any": 0.5})
        for one in known["segments"]
    ]
    checked = asyncio.run(
        PromptedChecker(asked.model, 250)(
            ArticleProfile.model_validate_json(json.dumps(known["profile"])),
            [Angle.model_validate_json(json.dumps(one)) for one in known["angles"]],
            DraftReport.model_validate_json(json.dumps(known["draft"])),
            EvidenceSet(items=tuple(evidence)),
        )
    )
    assert checked.removed == ()
    assert [one.text for one in checked.draft.sentences] == [one["text"] for one in known["report"]]
    asked.script.assert_finished()
