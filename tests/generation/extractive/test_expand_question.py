"""Every search for a question carries a name of the article that the question lacks."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.english.names import mentions, name_forms
from sidelight.generation.extractive.expand_question import (
    ExtractiveExpander,
    QuestionAsAsked,
    carrying,
    lacking_entities,
)
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.schemas.topic import Article

ARTICLE = Article(
    topic_id="t",
    url="https://ledger.example/a",
    title="The Orrin file",
    body=(
        "The town of Orrin released a 90-page report on Monday. The report says that Dr. Tom Vale, "
        "who led the Lark Harbour Trust, never met Ilse Marrow. Police in Dunmoor closed the case. "
        "Weather in Pell was fine."
    ),
)
QUESTION = "Does the 90-page report from Orrin exist?"


@pytest.fixture(scope="module")
def profile():
    return asyncio.run(ExtractiveProfiler()(ARTICLE))


def test_names_beside_what_is_asked_about_come_first(profile):
    lacking = lacking_entities(profile, QUESTION)
    assert not mentions(" ".join(lacking), ["Orrin"])
    together = [name for name in lacking if "Vale" in name or "Marrow" in name]
    assert lacking.index(together[0]) < lacking.index("Pell")
    # It may be searched for as it is, too.
    assert asyncio.run(QuestionAsAsked()(profile, QUESTION)) == (QUESTION,)


@pytest.mark.parametrize(
    "question", [QUESTION, "Who?", "", "Is " + "very " * 200 + "true?", "\x00"]
)
def test_each_search_carries_one(profile, question):
    queries = asyncio.run(ExtractiveExpander(10)(profile, question))
    lacking = lacking_entities(profile, question)
    assert 1 <= len(queries) <= 10
    assert len(set(queries)) == len(queries)
    for query in queries:
        assert any(mentions(query, name_forms(name)) for name in lacking), query
        assert query == " ".join(query.split())


@given(st.lists(st.text("ab ", max_size=8), max_size=6), st.integers(1, 5))
def test_what_a_model_leaves_out_is_added(worded, most):
    queries = carrying([f"x {text}" for text in worded], ["Tom Vale", "Dunmoor"], most)
    assert len(queries) <= most
    assert all("Tom Vale" in query or "Dunmoor" in query for query in queries)
