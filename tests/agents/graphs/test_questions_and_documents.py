"""Questions on articles of the mini web, and documents that answer them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from sidelight.agents.investigation import build_documents_graph
from sidelight.config.load import load_settings
from sidelight.english.names import mentions
from sidelight.errors import InputError
from sidelight.retrieval.base import MemoryRetriever
from sidelight.runs.log import TopicLog
from sidelight.schemas.investigation.report import QuestionSet
from sidelight.schemas.investigation.trace import Outcome
from sidelight.schemas.run import QuestionHits, QuestionRankings
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.topic import Article, QuestionedArticle, Topic
from sidelight.text_vectors import Encode
from sidelight.tracks import load_track
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, open_graph
from tests.helpers.hostile_pages import HOSTILE_TEXTS

TRACK = load_track("lateral2024")


def worked_on(
    topic: Topic, segments: Iterable[Segment], encode: Encode, cache: Path, *changes: str
) -> Outcome:
    by_id = {segment.segment_id: segment for segment in segments}

    def lookup(segment_ids: Sequence[str]) -> list[Segment]:
        return [by_id[segment_id] for segment_id in segment_ids]

    sources = Sources(MemoryRetriever(by_id.values()), lookup, encode)
    settings = load_settings(None, ["track=lateral2024", "investigation.max_rounds=1", *changes])

    async def work() -> Outcome:
        async with open_graph(settings, sources, ModelAccess(cache)) as answer:
            return await answer(topic, TopicLog())

    return asyncio.run(work())


def parts(outcome: Outcome) -> tuple[QuestionSet, QuestionRankings]:
    questions, rankings = (outcome.results[task.name] for task in TRACK.tasks)
    assert isinstance(questions, QuestionSet)
    assert isinstance(rankings, QuestionRankings)
    return questions, rankings


def test_documents_are_found_for_the_questions_that_were_written(
    mini_web_articles: tuple[Article, ...],
    mini_web_segments: list[Segment],
    lexical_encode: Encode,
    tmp_path: Path,
) -> None:
    article = mini_web_articles[0]
    outcome = worked_on(article, mini_web_segments, lexical_encode, tmp_path)
    questions, rankings = parts(outcome)
    assert all(len(question) <= 120 for question in questions.questions)
    assert len(rankings.rankings) == len(questions.questions) == 10
    known = {document_id_of(segment.segment_id) for segment in mini_web_segments}
    shown = {segment.segment_id for segment in outcome.evidence}
    for number, (question, ranking) in enumerate(
        zip(questions.questions, rankings.rankings, strict=True), start=1
    ):
        ranked = [hit.segment_id for hit in ranking.hits]
        assert len(set(ranked)) == len(ranked) == 10
        assert set(ranked) <= known - {article.topic_id}
        searched = outcome.trace.documents[number]
        assert searched.question == question
        assert 1 <= len(searched.queries) <= 10
        assert [one.document_id for one in searched.documents] == ranked
        assert {one.segment_id for one in searched.documents} <= shown
        labels = [one.label for one in searched.documents]
        assert labels == sorted(labels, reverse=True)


def test_questions_that_came_with_the_article_go_first(
    mini_web_articles: tuple[Article, ...],
    mini_web_segments: list[Segment],
    lexical_encode: Encode,
    tmp_path: Path,
) -> None:
    asked = ("Who is Garrick Voss?", "Who pays for it?", "What did the tribunal rule?")
    topic = QuestionedArticle(**mini_web_articles[0].model_dump(), questions=asked)
    outcome = worked_on(topic, mini_web_segments, lexical_encode, tmp_path)
    questions, rankings = parts(outcome)
    assert len(questions.questions) == 10
    assert [one.question_id for one in rankings.rankings] == [
        f"{topic.topic_id}-Q0{number}" for number in (1, 2, 3)
    ]
    assert [one.question for one in outcome.trace.documents.values()] == list(asked)
    bare = outcome.trace.documents[2].queries
    assert all(mentions(query, ["Voss", "Talvania", "Strake", "Sentinel"]) for query in bare[:3])


def test_a_question_as_it_is_without_ratings(
    mini_web_articles: tuple[Article, ...],
    mini_web_segments: list[Segment],
    lexical_encode: Encode,
    tmp_path: Path,
) -> None:
    changes = ("documents.expander=as-asked", "documents.rater=none")
    topic = QuestionedArticle(**mini_web_articles[0].model_dump(), questions=("Who is Voss?",))
    outcome = worked_on(topic, mini_web_segments, lexical_encode, tmp_path, *changes)
    searched = outcome.trace.documents[1]
    assert searched.queries == ("Who is Voss?",)
    assert {one.label for one in searched.documents} == {""}


@pytest.mark.parametrize("text", HOSTILE_TEXTS[:4])
def test_a_page_that_gives_orders_is_not_ranked(
    text: str, mini_web_articles: tuple[Article, ...], lexical_encode: Encode, tmp_path: Path
) -> None:
    pages = [
        Segment(segment_id="a_doc_00_1#0_0", text=f"Garrick Voss. {text}"),
        Segment(segment_id="a_doc_00_2#0_0", text="Garrick Voss writes on land and energy."),
    ]
    topic = QuestionedArticle(**mini_web_articles[0].model_dump(), questions=("Who is Voss?",))
    _, rankings = parts(worked_on(topic, pages, lexical_encode, tmp_path))
    (ranking,) = rankings.rankings
    assert "a_doc_00_2" in {hit.segment_id for hit in ranking.hits}


def test_nothing_found_is_an_error(
    mini_web_articles: tuple[Article, ...], lexical_encode: Encode, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="nothing was found"):
        worked_on(mini_web_articles[0], [], lexical_encode, tmp_path)


def test_rankings_are_numbered_and_never_empty() -> None:
    for name, hits in (("t-Q02", ("x",)), ("t-Q01", ())):
        found = QuestionHits(question_id=name, hits=tuple((one, 1.0) for one in hits))
        with pytest.raises(InputError):
            QuestionRankings("t", (found,), 10)


def test_the_drawing(golden: Callable[[str, str], None]) -> None:
    golden("graph_documents.mmd", build_documents_graph().get_graph().draw_mermaid())
