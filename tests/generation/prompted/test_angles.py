"""What a model drafts becomes something to search for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.prompted.angles import DraftedQuestion, as_angle, short_query
from sidelight.generation.reading.names import mentions
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.schemas.investigation.profile import ArticleProfile

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
    ("query", "question", "searched"),
    [
        # Nobody is named anywhere: the first person of the article joins.
        ("100-page report findings", "What did it find?", "100-page report findings Tom Vale"),
        # Only the question names somebody: the same one joins.
        (
            "report findings",
            "Who wrote the Moab City Police report?",
            "report findings Moab City Police",
        ),
        # Names in the query, surnames and the subject too, are context enough.
        ("Vale career", "Who is he?", "Vale career"),
        ("Bodycam report page count", "How long is it?", "Bodycam report page count"),
        # At most eight words, the name among them; operators go.
        (
            "one two three four five six seven eight nine",
            "?",
            "one two three four five six Tom Vale",
        ),
        ('"report" AND +figures – (2020) Marrow', "?", "report AND figures 2020 Marrow"),
    ],
)
def test_a_search_is_short_and_carries_a_name(query: str, question: str, searched: str) -> None:
    assert short_query(query, question, PROFILE) == searched


@given(st.text(), st.text())
def test_any_search_is_short_and_carries_a_name(query: str, question: str) -> None:
    searched = short_query(query, question, PROFILE)
    assert len(searched.split()) <= 8
    assert mentions(searched, ["Vale", "Moab City Police", "bodycam report", "Marrow", "Ledger"])


def test_an_article_that_names_nobody_lends_its_subject() -> None:
    bare = ArticleProfile(publisher="", host="", subject="the old mill at Orrin", body="")
    assert short_query("sale price", "What was paid?", bare) == "sale price the old mill at"


def angle(aspect: Aspect, question: str) -> Angle:
    drafted = DraftedQuestion(why="It matters.", aspect=aspect, question=question, query="Vale")
    return as_angle(drafted, "new-1", 2.0, PROFILE)


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
