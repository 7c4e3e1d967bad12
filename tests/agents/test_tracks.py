"""Answers to narratives, and questions with documents, on the mini web and on hostile pages."""

import asyncio
import gzip
import re
from collections import Counter

import orjson
import pytest

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.agents.investigation import build_documents_graph
from sidelight.config.load import load_settings
from sidelight.english.names import mentions
from sidelight.errors import InputError, UsageError
from sidelight.formats.topics import read_narratives
from sidelight.generation.compose import NO_ANSWER
from sidelight.runs.log import TopicLog
from sidelight.sample import sample_path
from sidelight.schemas.investigation.report import QuestionSet, Report
from sidelight.schemas.run import QuestionHits, QuestionRankings, Ranking
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.topic import Article, Narrative, QuestionedArticle
from sidelight.text import budget_words, content_words
from sidelight.tracks import load_track
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, open_graph
from tests.helpers.hostile_pages import HOSTILE_TEXTS
from tests.helpers.mini_web import beside
from tests.helpers.models.fault_server import FaultServer

NARRATIVES = read_narratives(sample_path() / "narratives.jsonl")
TRACK = load_track("rag2025")


@pytest.fixture
def answer(mini_web_segments, lexical_encode, tmp_path):
    """Return what answers a topic on the mini web, or on other segments."""

    def answer(
        topic, *changes, segments=mini_web_segments, track="rag2025", base_url=None, fetched=None
    ):
        by_id = {segment.segment_id: segment for segment in segments}

        def lookup(segment_ids):
            if fetched is not None:
                fetched.update(segment_ids)
            return [by_id[segment_id] for segment_id in segment_ids]

        sources = Sources(MemoryRetriever(by_id.values()), lookup, lexical_encode)
        settings = load_settings(None, [f"track={track}", *changes])

        async def work():
            access = ModelAccess(tmp_path, base_url=base_url)
            async with open_graph(settings, sources, access) as graph:
                return await graph(topic, TopicLog())

        return asyncio.run(work())

    return answer


def parts(outcome):
    ranking, report = (outcome.results[task.name] for task in TRACK.tasks)
    assert isinstance(ranking, Ranking)
    assert isinstance(report, Report)
    return ranking, report


def words_of(text):
    return set(content_words(text.replace("'s", "").replace("’s", "")))


@pytest.mark.parametrize("narrative", NARRATIVES, ids=lambda narrative: narrative.topic_id)
def test_an_answer_rests_on_what_was_found_for_the_narrative(answer, narrative):
    outcome = answer(narrative)
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
        # A name in the place of "its" is that of the page with "'s" behind it; what stands in
        # square brackets is a name for a pronoun. Who speaks in their own cause is named.
        written = re.sub(r"\[[^\]]*\]|, according to [^,]+\.$", "", sentence.text)
        assert words_of(written) <= words_of(source)
    searched = outcome.trace.rounds[1]
    assert [angle.question for angle in searched.plan.angles] != []
    assert "".join(angle.question for angle in searched.plan.angles).replace(" ", "") == (
        narrative.narrative.replace(" ", "")
    )
    assert outcome.trace.found() >= ranked


def test_sub_questions_are_asked_in_place_of_the_narrative(answer):
    asked = ("Who publishes the Sentinel Policy Journal?", "Who pays for it?")
    narrative = NARRATIVES[0].model_copy(update={"sub_questions": asked})
    trace = answer(narrative).trace
    plan = trace.rounds[1].plan
    assert tuple(query.text for query in plan.queries) == asked


@pytest.mark.parametrize("text", ["Zzz.", "?", "\u200b", "Qqq www eee " * 400])
def test_where_nothing_answers_the_answer_says_so(answer, text):
    narrative = Narrative(topic_id="n", narrative=text)
    _, report = parts(answer(narrative))
    (sentence,) = report.sentences
    assert (sentence.text, sentence.citations) == (NO_ANSWER.sentences[0].text, ())


def test_pages_that_give_orders_are_refused(answer):
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
    outcome = answer(narrative, "retrieval.k=100", segments=segments)
    selected = outcome.trace.rounds[1].selected
    assert len(selected.refused) == len(HOSTILE_TEXTS)
    assert outcome.evidence == ()


def test_an_article_is_no_narrative(answer):
    with pytest.raises(InputError, match="expected a narrative"):
        answer(Article(topic_id="t", body="Text."))


@pytest.mark.parametrize(
    ("role", "says"),
    [("prompted", "answered without a model"), ("prompted-answer", "the settings name none")],
)
def test_settings_that_fit_no_model_are_refused(answer, role, says):
    with pytest.raises(UsageError, match=says):
        answer(NARRATIVES[0], f"roles.write_report={role}")


def test_an_answer_from_given_references_cites_no_others(answer):
    searched, _ = parts(answer(NARRATIVES[0]))
    given = tuple(hit.segment_id for hit in searched.hits[:5])
    narrative = NARRATIVES[0].model_copy(update={"references": given})
    ranking, report = parts(answer(narrative))
    assert [hit.segment_id for hit in ranking.hits] == list(given)
    cited = {name for sentence in report.sentences for name in sentence.citations}
    assert cited
    assert cited <= set(given)


def test_where_a_track_leaves_the_depth_to_the_run_evidence_is_ranked(answer):
    outcome = answer(NARRATIVES[0], "track=rag2026")
    ranking = outcome.results[load_track("rag2026").tasks[0].name]
    assert isinstance(ranking, Ranking)
    taken = {segment.segment_id for segment in outcome.evidence}
    assert {hit.segment_id for hit in ranking.hits} == taken
    assert ranking.depth is None


def test_a_model_writes_from_the_references_of_ten_real_topics(answer, shared_data):
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
            writer = ("roles.write_report=prompted-answer", "models.writer.name=tiny")
            outcome = answer(narrative, *writer, segments=segments, base_url=server.base_url)
            _, report = parts(outcome)  # which could not be made beyond a limit
            cited = {name for sentence in report.sentences for name in sentence.citations}
            assert cited <= set(ids)
        assert server.stats().calls >= len(topics)


# Questions on articles of the mini web, and documents that answer them.
LATERAL = load_track("lateral2024")


@pytest.fixture
def asked_about(answer, mini_web_segments):
    """Return what writes questions on an article, and finds documents for them, in one round."""

    def asked_about(topic, *changes, segments=None):
        changes = ("investigation.max_rounds=1", *changes)
        near = beside(topic, mini_web_segments) if segments is None else segments
        return answer(topic, *changes, track="lateral2024", segments=near)

    return asked_about


def results_of(outcome):
    questions, rankings = (outcome.results[task.name] for task in LATERAL.tasks)
    assert isinstance(questions, QuestionSet)
    assert isinstance(rankings, QuestionRankings)
    return questions, rankings


def test_documents_are_found_for_the_questions_that_were_written(
    asked_about, mini_web_articles, mini_web_segments
):
    article = mini_web_articles[0]
    outcome = asked_about(article)
    questions, rankings = results_of(outcome)
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


def test_questions_that_came_with_the_article_go_first(asked_about, mini_web_articles):
    asked = ("Who is Garrick Voss?", "Who pays for it?", "What did the tribunal rule?")
    topic = QuestionedArticle(**mini_web_articles[0].model_dump(), questions=asked)
    outcome = asked_about(topic)
    questions, rankings = results_of(outcome)
    assert len(questions.questions) == 10
    assert [one.question_id for one in rankings.rankings] == [
        f"{topic.topic_id}-Q0{number}" for number in (1, 2, 3)
    ]
    assert [one.question for one in outcome.trace.documents.values()] == list(asked)
    bare = outcome.trace.documents[2].queries
    assert all(mentions(query, ["Voss", "Talvania", "Strake", "Sentinel"]) for query in bare[:3])


def test_a_question_as_it_is_without_ratings(asked_about, mini_web_articles):
    changes = ("documents.expander=as-asked", "documents.rater=none")
    topic = QuestionedArticle(**mini_web_articles[0].model_dump(), questions=("Who is Voss?",))
    outcome = asked_about(topic, *changes)
    searched = outcome.trace.documents[1]
    assert searched.queries == ("Who is Voss?",)
    assert {one.label for one in searched.documents} == {""}


def test_pages_that_give_orders_are_not_ranked(asked_about, mini_web_articles):
    texts = ["Garrick Voss writes on land and energy."]
    texts += [f"Garrick Voss. {hostile.text}" for hostile in HOSTILE_TEXTS[:4]]
    pages = [
        Segment(segment_id=f"a_doc_00_{number}#0_0", text=text) for number, text in enumerate(texts)
    ]
    topic = QuestionedArticle(**mini_web_articles[0].model_dump(), questions=("Who is Voss?",))
    _, rankings = results_of(asked_about(topic, segments=pages))
    (ranking,) = rankings.rankings
    assert [hit.segment_id for hit in ranking.hits] == ["a_doc_00_0"]


def test_nothing_found_is_an_error(asked_about, mini_web_articles):
    with pytest.raises(InputError, match="nothing was found"):
        asked_about(mini_web_articles[0], segments=[])


def test_rankings_are_numbered_and_never_empty():
    for name, hits in (("t-Q02", ("x",)), ("t-Q01", ())):
        found = QuestionHits(question_id=name, hits=tuple((one, 1.0) for one in hits))
        with pytest.raises(InputError):
            QuestionRankings("t", (found,), 10)


def test_the_drawing(golden):
    golden("graph_documents.mmd", build_documents_graph().get_graph().draw_mermaid())


# What a whole investigation fetches from its index.
def test_no_segment_of_a_topic_is_fetched_twice(answer, mini_web_articles, mini_web_segments):
    fetched: Counter[str] = Counter()
    article = mini_web_articles[0]
    near = beside(article, mini_web_segments)
    outcome = answer(article, track="dragun2025", segments=near, fetched=fetched)
    assert len(outcome.trace.rounds) > 1
    assert outcome.trace.found() <= fetched.keys()
    assert set(fetched.values()) == {1}
