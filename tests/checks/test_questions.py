"""Questions that ask two things, or fit any article."""

import asyncio

import pytest

from sidelight.checks.questions import (
    COMPOUND_PROMPT,
    CompoundVerdict,
    compound_reason,
    general_reason,
)
from sidelight.errors import StructuredOutputError
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.runs.question_list import read_question_run
from sidelight.llm.prompted import PromptedModel
from sidelight.sample import sample_path
from sidelight.tracks import load_track
from tests.helpers.asking.conversation import says, scripted

TWO = "Who owns the outlet? What do others say about it?"
COMPOUND = says(reason="owner, and what others say", verdict="compound")
SINGLE = says(reason="the owner", verdict="single")


def read(model: PromptedModel, question: str) -> CompoundVerdict:
    return asyncio.run(model.answer(COMPOUND_PROMPT, CompoundVerdict, question=question))


@pytest.mark.parametrize(("reply", "verdict"), [(COMPOUND, "compound"), (SINGLE, "single")])
def test_a_model_is_asked_once(reply, verdict):
    prompted, model, _ = scripted(reply)
    assert read(prompted, TWO).verdict == verdict
    model.assert_finished()
    (request,) = model.requests
    assert request.messages[-1].content.count(TWO) == 1
    assert request.temperature == 0
    assert list(request.json_schema.schema_["properties"]) == ["reason", "verdict"]


@pytest.mark.parametrize(
    "reply",
    [
        "single",
        says(reason="the owner", verdict="not-compound"),
        says(verdict="single"),
        says(reason="the owner", verdict="single", note="trust me"),
    ],
)
def test_only_offered_verdicts_count(reply):
    prompted, model, _ = scripted(reply, reply)
    with pytest.raises(StructuredOutputError):
        read(prompted, TWO)
    model.assert_finished()


@pytest.mark.parametrize(
    "question",
    [
        "Who is the author and when did the strike happen?",
        "Who owns the outlet? What do others say about it?",
        "Who coined the term, when did this occur, and what were the circumstances?",
        "Which hedge funds received the money and what did the court say?",
        "Who owns the Orrin Post and when did Ilse Marrow join it?",
        "What is the outlet's record, and have there been any corrections?",
        "Did the maker sell such shoes before, and how did the brand respond to them?",
        "How many parcels are sent each year and is that number growing?",
        "Does the mayor own shares, and to what extent did they rise?",
        "Did the police comment; if so, and who confirmed it?",
    ],
)
def test_separate_questions_are_compound(question):
    assert compound_reason(question) is not None


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Who owns the outlet?",
        "What are the size, the funding and the design of the study?",
        "What is the outlet's reputation for accuracy and reliability?",
        "According to the archive, where and when was the first pizza made?",
        "How and why did the regulator change the limit?",
        "Is the figure correct, or is it exaggerated?",
        "Does the page explain how the event started and why it was created?",
        "What do the ACS, the BBC and WHO say about it?",
        "Who funds the centre, and how could that affect its studies?",
        "What did the minister say in her speech “Who pays? And why?” to parliament?",
        "Who is Bram Ostelle, who is quoted as a kidney specialist?",
        "Is the study (and was its author) cited?",
        "Which hedge funds received the money and what is their reason for keeping it?",
        "Who is the author and what qualifies her to write about kidneys?",
        "Who publishes the daily, and how does the publisher earn its money?",
        "Which recommendations of 2011 were not carried out, and why?",
        "What does the trade mark cover, and from what date?",
    ],
)
def test_one_question_is_not_compound(question):
    assert compound_reason(question) is None


def test_share_of_the_public_runs_is_plausible(public_runs):
    shares = {}
    for path in sorted((public_runs / "task1").iterdir()):
        questions = read_question_run(path, quoting="csv").questions
        flagged = sum(compound_reason(question.text) is not None for question in questions)
        shares[path.name] = flagged / len(questions)
    # The organizers' model flagged 11.3 % of 37 runs.
    assert len(shares) == 5
    assert 0.02 < min(shares.values()) < max(shares.values()) < 0.3
    assert 0.09 < sum(shares.values()) / 5 < 0.14


def test_questions_that_assessors_would_write_are_not_compound():
    rubrics = read_rubrics(sample_path() / "human_rubrics", load_track().scales)
    questions = [question.text for rubric in rubrics.values() for question in rubric.questions]
    assert len(questions) > 30
    assert [text for text in questions if compound_reason(text)] == []


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Is the article credible?",
        "Are there other sources corroborating the article's claims?",
        "Is the inform\u200bation in this story accurate?",
        "What do experts say about this topic?",
    ],
)
def test_what_fits_any_article_is_too_general(question):
    assert general_reason(question) is not None


@pytest.mark.parametrize(
    "question",
    [
        "Have other sources corroborated the claim that wildfires are declining?",
        "Is the Spectator credible?",
        "Is the publisher of this article known for bias?",
        "What is the author's professional background?",
        "Is the figure of 38% correct?",
        "What do scientific studies say about PM2.5?",
    ],
)
def test_what_names_something_is_not(question):
    assert general_reason(question) is None


def test_no_question_of_the_public_runs_is_dropped_for_it(public_runs):
    questions = [
        question.text
        for path in sorted((public_runs / "task1").iterdir())
        for question in read_question_run(path, quoting="csv").questions
    ]
    assert len(questions) == 1500
    assert [text for text in questions if general_reason(text)] == []
