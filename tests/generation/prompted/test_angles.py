"""What a model drafts becomes something to search for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.prompted.plan_queries import DraftedQuestion, as_angle, short_query
from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Aspect

ONE_TO_TEN = "one two three four five six seven eight nine ten"
PROFILE = ArticleProfile(
    publisher="Moab Ledger",
    host="moabledger.example",
    authors=("Ilse Marrow",),
    people=("Tom Vale",),
    organisations=("Moab City Police",),
    subject="bodycam report",
    body="",
)


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        # No name joins where none belongs: what a page with the answer says decides.
        ("100-page report findings", "100-page report findings"),
        ("one two three four five six seven eight nine ten eleven", ONE_TO_TEN),
        ('"report" AND +figures – (2020) Marrow', "report AND figures 2020 Marrow"),
        ("–", ""),
    ],
)
def test_a_search_is_short_and_as_it_was_drafted(query: str, searched: str) -> None:
    assert short_query(query) == searched


@given(st.text())
def test_any_search_is_short(query: str) -> None:
    assert len(short_query(query).split()) <= 10


def test_a_query_of_no_words_gives_way_to_the_question() -> None:
    assert angle(Aspect.CLAIM, "What is so?", query="---").query == "What is so?"


def angle(aspect: Aspect, question: str, query: str = "Vale") -> Angle:
    drafted = DraftedQuestion(
        why="It matters.",
        aspect=aspect,
        importance="good to know",
        question=question,
        query=query,
    )
    return as_angle(drafted, "new-1", PROFILE)


def test_a_drafted_question_is_printed_on_one_line() -> None:
    made = angle(Aspect.CLAIM, " Is it\u200b\nso, \x1bsays Tom  Vale? ")
    assert made.question == "Is it so, says Tom Vale?"
    assert (made.angle_id, made.weight, made.aspect) == ("new-1", 2.0, Aspect.CLAIM)
    assert made.must_mention == ()


def test_evidence_on_a_principal_has_to_name_it() -> None:
    publisher = angle(Aspect.PUBLISHER, "Who owns the Moab Ledger?")
    assert publisher.must_mention == ("Moab Ledger", "Ledger", "moabledger.example", "moabledger")
    author = angle(Aspect.AUTHOR, "What has Ms Marrow written before?")
    assert author.must_mention == ("Ilse Marrow", "Marrow")
    assert angle(Aspect.AUTHOR, "What is Tom Vale paid for?").must_mention == ()
