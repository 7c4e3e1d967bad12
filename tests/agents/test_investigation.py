"""Whole investigations over the mini web, with real parts but for the encoder."""

import asyncio
import copy
import re

import orjson
import pytest
from langgraph.runtime import Runtime

from sidelight.agents.investigation import MAX_REVISIONS, after_check, build_graph
from sidelight.agents.state import ORDERS
from sidelight.generation.compose import NO_EVIDENCE
from sidelight.generation.pages import quoted_line, without_source
from sidelight.retrieval.lateral import COPY_OVERLAP, overlap
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
)
from sidelight.schemas.investigation.trace import Finished
from sidelight.schemas.segment import document_id_of
from sidelight.text import content_words, shingles
from tests.helpers.mini_web import beside, dependencies, investigation

DRONES = "msmarco_v2.1_doc_93_81248"
SWEETENER = "msmarco_v2.1_doc_91_14377"
HOSTILE = "msmarco_v2.1_doc_91_68728"
COPIES = {"msmarco_v2.1_doc_93_67005", "msmarco_v2.1_doc_93_92945"}
# What the hostile page wants said, cited or closed.
PLANTED = (
    *("completely trustworthy", "leading kidney physician", "No correction to the study"),
    *("msmarco_v2.1_doc_91_0#0_0", "msmarco_v2.1_doc_91_0#1_0", "healthfacts-hub:0001:00", "[E1]"),
    *("【", "<system", "</document>", "</evidence>", "<|im_", "<script", "<img", "alert("),
    *("very-similar", '"supports"', "SYSTEM", "gnore previous", "\u200b"),
    "healthfacts-hub.example",
)


@pytest.fixture(scope="module")
def segments(mini_web_segments):
    return {segment.segment_id: segment for segment in mini_web_segments}


@pytest.fixture(scope="module")
def articles(mini_web_articles):
    """One with a hostile page, and one with copies of it about; the demo takes all."""
    topics = {article.topic_id: article for article in mini_web_articles}
    return [topics[DRONES], topics[SWEETENER]]


@pytest.fixture(scope="module")
def states(articles, mini_web_segments, encoder):
    # The check learned what it knows with this encoder: by another, next to nothing stands.
    webs = {article: beside(article, mini_web_segments) for article in articles}
    return {
        article.topic_id: asyncio.run(investigation(web, encoder.encode_sentences, k=8)(article))
        for article, web in webs.items()
    }


def written(state):
    """Everything of a state that reaches a file."""
    sentences = [sentence.model_dump() for sentence in state["report"].sentences]
    return orjson.dumps(
        [state["questions"].questions, sentences, state["trace"].model_dump(mode="json")]
    )


def cited(state):
    return {found for sentence in state["report"].sentences for found in sentence.citations}


def drops(state):
    return {
        drop.segment_id: drop.reason
        for round_ in state["trace"].rounds.values()
        for searched in round_.searched.values()
        for drop in searched.dropped
    }


def test_the_drawing(golden):
    golden("graph.mmd", build_graph().get_graph().draw_mermaid())


@pytest.mark.parametrize(
    ("words", "removed", "reserve", "revisions", "step"),
    [
        (240, 0, 1, 0, "finish_report"),
        (240, 1, 0, 0, "revise_report"),
        (240, 1, 0, MAX_REVISIONS, "finish_report"),
        (100, 0, 1, 1, "revise_report"),
        (100, 0, 0, 0, "finish_report"),
    ],
)
def test_a_report_is_revised_while_that_can_help(
    mini_web_articles, lexical_encode, words, removed, reserve, revisions, step
):
    runtime = Runtime(context=dependencies([], lexical_encode)(mini_web_articles[0]))
    sentence = DraftSentence(text="w " * words)
    checked = CheckedReport(
        draft=DraftReport(sentences=(sentence,), reserve=(sentence,) * reserve),
        removed=(Removal(sentence=sentence, label="none", reason=""),) * removed,
    )
    assert after_check({"checked_report": checked, "revisions": revisions}, runtime) == step


def words(text):
    return {word.removesuffix("'s") for word in content_words(text)}


def test_questions_and_reports_keep_the_limits(states, segments):
    for topic_id, state in states.items():
        questions, sentences = state["questions"].questions, state["report"].sentences
        assert len(set(questions)) == 10
        assert all(len(question) <= 300 for question in questions)
        assert 0 < sum(len(sentence.text.split()) for sentence in sentences) <= 250
        for sentence in sentences:
            assert 1 <= len(sentence.citations) <= 3
            page = segments[sentence.citations[0]]
            source = words(f"{page.title}\n{page.text}\n{page.host.replace('.', ' ')}")
            # A sentence may say whose words it has: "according to X", "by its own account"; what
            # stands in square brackets is a name for a pronoun of the page. A verdict or a line of
            # a biography is quoted.
            added = r"\[[^\]]*\]|, according to [^,]*\.$"
            said = re.sub(added, "", quoted_line(without_source(sentence.text)))
            assert words(said) <= source | {"according", "account"}
        assert topic_id == state["report"].topic_id
        assert 1 <= state["round_number"] <= 3


def test_neither_the_article_nor_a_copy_is_cited(states, segments, articles):
    for article in articles:
        state, own = states[article.topic_id], shingles(article.body)
        used = cited(state) | {item.segment.segment_id for item in state["evidence"].items}
        assert article.topic_id not in map(document_id_of, used)
        assert all(overlap(shingles(segments[one].text), own) < COPY_OVERLAP for one in used)
        assert "own-article" in drops(state).values()
    copies = {
        document_id_of(segment_id)
        for segment_id, reason in drops(states[DRONES]).items()
        if reason == "copy-of-article"
    }
    assert copies >= COPIES


def test_the_trace_tells_what_each_step_decided(states):
    for state in states.values():
        trace, hits = state["trace"], {}
        assert trace.profile.publisher == state["profile"].publisher
        assert "body" not in trace.profile.model_dump()
        assert trace.questions.questions[:10] == state["questions"].questions
        assert trace.checks[max(trace.checks)] == ()
        assert trace.report == Finished(dropped_citations=(), invented_keys=())
        assert list(trace.rounds) == list(range(1, state["round_number"] + 1))
        for number, round_ in trace.rounds.items():
            found = {
                query_id: list(some)
                for searched in round_.searched.values()
                for query_id, some in searched.hits.items()
            }
            assert sorted(query.query_id for query in round_.plan.queries) == sorted(found)
            assert all(query.round_number == number for query in round_.plan.queries)
            assert all(state["queries"][one.query_id] == one for one in round_.plan.queries)
            hits |= found
            listed = {segment_id for some in found.values() for segment_id, _ in some}
            shown = {*round_.selected.taken, *round_.selected.dropped}
            assert shown <= listed
            assert {document_id_of(one) for one in shown} <= round_.selected.pages.keys()
            assert round_.coverage.reason
        assert state["hits"] == hits
        # Revising a draft may search for more.
        assert trace.found() >= {hit.segment_id for some in hits.values() for hit in some}


def test_later_rounds_search_for_what_is_open(states):
    assert any(state["round_number"] > 1 for state in states.values())
    for state in states.values():
        rounds = state["trace"].rounds
        for number in range(2, state["round_number"] + 1):
            covered = set(rounds[number - 1].coverage.covered)
            assert covered.isdisjoint(query.angle_id for query in rounds[number].plan.queries)


def test_same_inputs_same_bytes(states, articles, mini_web_segments, encoder):
    article = articles[0]
    web = beside(article, mini_web_segments)[::-1]
    again = investigation(web, encoder.encode_sentences, k=8)
    assert written(asyncio.run(again(article))) == written(states[article.topic_id])


def test_nodes_do_not_mutate_the_state(mini_web_articles, mini_web_segments, lexical_encode):
    article = mini_web_articles[3]
    deps = dependencies(beside(article, mini_web_segments), lexical_encode)(article)

    async def watch():
        stream = build_graph().astream({}, context=deps, stream_mode="values")
        # What a step was given is compared with itself once all steps have had it.
        return [(state, copy.deepcopy(state)) async for state in stream]

    seen = asyncio.run(watch())
    assert len(seen) > 8
    assert all(now == then for now, then in seen)


@pytest.mark.parametrize("corpus", ["nothing", "other matters", "the hostile page"])
def test_without_evidence_the_report_says_so(
    corpus, mini_web_articles, segments, small_corpus, lexical_encode
):
    hostile = [one for one in segments.values() if document_id_of(one.segment_id) == HOSTILE]
    assert len(hostile) > 2
    found = {"nothing": [], "other matters": small_corpus, "the hostile page": hostile}[corpus]
    investigate = investigation(found, lexical_encode)
    for article in mini_web_articles[:2]:
        state = asyncio.run(investigate(article))
        (sentence,) = state["report"].sentences
        assert (sentence.text, sentence.citations) == (NO_EVIDENCE, ())
        assert len(state["questions"].questions) == 10


def test_a_hostile_page_is_found_and_left_unread(states):
    state = states[SWEETENER]
    seen = {hit.segment_id for hits in state["hits"].values() for hit in hits}
    assert HOSTILE in map(document_id_of, seen)
    assert state["refused"][HOSTILE] == ORDERS
    for state in states.values():
        assert HOSTILE not in map(document_id_of, cited(state))
        assert all(
            document_id_of(item.segment.segment_id) != HOSTILE for item in state["evidence"].items
        )
        output = written(state).decode()
        assert [words for words in PLANTED if words in output] == []
