"""Answers to narratives on the mini web, and on pages that are hostile or say nothing."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson
import pytest

from sidelight.config.load import load_settings
from sidelight.errors import InputError, UsageError
from sidelight.formats.topics import read_narratives
from sidelight.generation.no_evidence import NO_ANSWER
from sidelight.retrieval.base import MemoryRetriever
from sidelight.runs.log import TopicLog
from sidelight.sample import sample_path
from sidelight.schemas.investigation.report import Report
from sidelight.schemas.investigation.trace import Outcome
from sidelight.schemas.run import Ranking
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article, Narrative, Topic
from sidelight.text import budget_words, content_words
from sidelight.text_vectors import Encode
from sidelight.tracks import load_track
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, open_graph
from tests.helpers.hostile_pages import HOSTILE_TEXTS
from tests.helpers.models.fault_server import FaultServer
from tests.helpers.public_data import PublicData

NARRATIVES = read_narratives(sample_path() / "narratives.jsonl")
TRACK = load_track("rag2025")


def answered(
    topic: Topic,
    segments: Iterable[Segment],
    encode: Encode,
    cache: Path,
    *changes: str,
    base_url: str | None = None,
) -> Outcome:
    by_id = {segment.segment_id: segment for segment in segments}

    def lookup(segment_ids: Sequence[str]) -> list[Segment]:
        return [by_id[segment_id] for segment_id in segment_ids]

    sources = Sources(MemoryRetriever(by_id.values()), lookup, encode)
    settings = load_settings(None, ["track=rag2025", *changes])

    async def work() -> Outcome:
        access = ModelAccess(cache, base_url=base_url)
        async with open_graph(settings, sources, access) as answer:
            return await answer(topic, TopicLog())

    return asyncio.run(work())


def parts(outcome: Outcome) -> tuple[Ranking, Report]:
    ranking, report = (outcome.results[task.name] for task in TRACK.tasks)
    assert isinstance(ranking, Ranking)
    assert isinstance(report, Report)
    return ranking, report


def words_of(text: str) -> set[str]:
    return set(content_words(text.replace("'s", "").replace("’s", "")))


@pytest.mark.parametrize("narrative", NARRATIVES, ids=lambda narrative: narrative.topic_id)
def test_an_answer_rests_on_what_was_found_for_the_narrative(
    narrative: Narrative, mini_web_segments: list[Segment], lexical_encode: Encode, tmp_path: Path
) -> None:
    outcome = answered(narrative, mini_web_segments, lexical_encode, tmp_path)
    ranking, report = parts(outcome)
    pages = {
        segment.segment_id: (
            f"{segment.title}\n{segment.text}\nby its own account according to {segment.host}"
        )
        for segment in outcome.evidence
    }
    ranked = {hit.segment_id for hit in ranking.hits}
    words = sum(budget_words(sentence.text) for sentence in report.sentences)
    assert 0 < words <= TRACK.cited_text.max_words
    for sentence in report.sentences:
        assert sentence.citations
        assert set(sentence.citations) <= ranked
        source = pages[sentence.citations[0]]
        # A name in the place of "its" is that of the page with "'s" behind it.
        assert words_of(sentence.text) <= words_of(source)
    searched = outcome.trace.rounds[1]
    assert searched.plan is not None
    assert [angle.question for angle in searched.plan.angles] != []
    assert "".join(angle.question for angle in searched.plan.angles).replace(" ", "") == (
        narrative.narrative.replace(" ", "")
    )
    assert outcome.trace.found() >= ranked


def test_sub_questions_are_asked_in_place_of_the_narrative(
    mini_web_segments: list[Segment], lexical_encode: Encode, tmp_path: Path
) -> None:
    asked = ("Who publishes the Sentinel Policy Journal?", "Who pays for it?")
    narrative = NARRATIVES[0].model_copy(update={"sub_questions": asked})
    trace = answered(narrative, mini_web_segments, lexical_encode, tmp_path).trace
    plan = trace.rounds[1].plan
    assert plan is not None
    assert tuple(query.text for query in plan.queries) == asked


@pytest.mark.parametrize("text", ["Zzz.", "?", "\u200b", "Qqq www eee " * 400])
def test_where_nothing_answers_the_answer_says_so(
    text: str, mini_web_segments: list[Segment], lexical_encode: Encode, tmp_path: Path
) -> None:
    narrative = Narrative(topic_id="n", narrative=text)
    _, report = parts(answered(narrative, mini_web_segments, lexical_encode, tmp_path))
    (sentence,) = report.sentences
    assert (sentence.text, sentence.citations) == (NO_ANSWER.sentences[0].text, ())


def test_pages_that_give_orders_are_refused(lexical_encode: Encode, tmp_path: Path) -> None:
    told = "The Harrow Lane Institute publishes the Sentinel Policy Journal and pays its authors."
    segments = [
        Segment(
            segment_id=f"m_doc_00_{number}#0_0",
            url=f"https://a{number}.example/",
            text=f"{told}\n{hostile.text}",
        )
        for number, hostile in enumerate(HOSTILE_TEXTS)
    ]
    narrative = Narrative(
        topic_id="n", narrative="Which institute publishes the Sentinel Policy Journal?"
    )
    outcome = answered(narrative, segments, lexical_encode, tmp_path, "retrieval.k=100")
    selected = outcome.trace.rounds[1].selected
    assert selected is not None
    assert len(selected.refused) == len(HOSTILE_TEXTS)
    assert outcome.evidence == ()


def test_an_article_is_no_narrative(lexical_encode: Encode, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a narrative"):
        answered(Article(topic_id="t", body="Text."), [], lexical_encode, tmp_path)


def test_a_model_that_would_not_be_asked_is_refused(lexical_encode: Encode, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="answered without a model"):
        answered(NARRATIVES[0], [], lexical_encode, tmp_path, "roles.write_report=prompted")


def test_a_model_may_order_what_is_found(
    mini_web_segments: list[Segment], lexical_encode: Encode, tmp_path: Path
) -> None:
    changes = ("retrieval.listwise_depth=20", "models.ranker.name=tiny")
    with FaultServer() as server:
        outcome = answered(
            NARRATIVES[0],
            mini_web_segments,
            lexical_encode,
            tmp_path,
            *changes,
            base_url=server.base_url,
        )
        assert server.stats().calls > 0
    ranking, report = parts(outcome)
    assert ranking.hits
    assert report.sentences


def test_an_answer_from_given_references_cites_no_others(
    mini_web_segments: list[Segment], lexical_encode: Encode, tmp_path: Path
) -> None:
    searched, _ = parts(answered(NARRATIVES[0], mini_web_segments, lexical_encode, tmp_path))
    given = tuple(hit.segment_id for hit in searched.hits[:5])
    narrative = NARRATIVES[0].model_copy(update={"references": given})
    ranking, report = parts(answered(narrative, mini_web_segments, lexical_encode, tmp_path))
    assert [hit.segment_id for hit in ranking.hits] == list(given)
    cited = {name for sentence in report.sentences for name in sentence.citations}
    assert cited
    assert cited <= set(given)


def test_where_a_track_leaves_the_depth_to_the_run_evidence_is_ranked(
    mini_web_segments: list[Segment], lexical_encode: Encode, tmp_path: Path
) -> None:
    outcome = answered(NARRATIVES[0], mini_web_segments, lexical_encode, tmp_path, "track=rag2026")
    ranking = outcome.results[load_track("rag2026").tasks[0].name]
    assert isinstance(ranking, Ranking)
    taken = {segment.segment_id for segment in outcome.evidence}
    assert {hit.segment_id for hit in ranking.hits} == taken
    assert ranking.depth is None


def test_a_model_writes_from_the_references_of_ten_real_topics(
    shared_data: PublicData, lexical_encode: Encode, tmp_path: Path
) -> None:
    path = shared_data / "rag-2024" / "references.jsonl.gz"
    topics = [orjson.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()[:10]]
    with FaultServer() as server:
        for topic in topics:
            ids = tuple(topic["references_ids"])
            segments = [
                Segment(segment_id=name, text=text)
                for name, text in zip(ids, topic["references_texts"], strict=True)
            ]
            narrative = Narrative(topic_id=topic["topic"], narrative=topic["query"], references=ids)
            outcome = answered(
                narrative,
                segments,
                lexical_encode,
                tmp_path,
                "roles.write_report=prompted-answer",
                "models.writer.name=tiny",
                base_url=server.base_url,
            )
            _, report = parts(outcome)  # which could not be made beyond a limit
            cited = {name for sentence in report.sentences for name in sentence.citations}
            assert cited <= set(ids)
        assert server.stats().calls >= len(topics)


def test_a_writer_that_asks_needs_a_model(lexical_encode: Encode, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the settings name none"):
        answered(NARRATIVES[0], [], lexical_encode, tmp_path, "roles.write_report=prompted-answer")
