"""The questions of thirty real articles: short, rarely generic, not all cut from one pattern."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable

import pytest

from sidelight.config.settings import Settings
from sidelight.formats.topics import read_articles
from sidelight.generation.extractive import asked
from sidelight.generation.extractive.asked import Question
from sidelight.generation.extractive.plan import ExtractivePlanner
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.extractive.write_questions.asking import questions_about
from sidelight.generation.extractive.write_questions.facts import (
    documents,
    headline_claim,
    named_testers,
    people_of_the_past,
    schemes,
)
from sidelight.generation.extractive.write_questions.subjects import subject_of
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text_vectors import Encode
from sidelight.wiring.roles import extractive_roles
from tests.helpers.public_data import PublicData

_NAME = re.compile(r"[A-Z0-9$£€][\w'’.,%-]*(?:\s+(?:(?:of|and|for|the)\s+)*[A-Z0-9][\w'’.,%-]*)*")

GENERIC = [row for row in vars(asked).values() if isinstance(row, Question) and row.is_generic]


def pattern(question: str, profile: ArticleProfile) -> str:
    """A question with names, figures and the subject masked."""
    plain = question[0].lower() + question[1:]
    plain = re.sub(re.escape(profile.subject), "NAME", plain, flags=re.IGNORECASE)
    return _NAME.sub("NAME", plain)


def test_questions_on_real_articles(shared_data: PublicData, lexical_encode: Encode) -> None:
    patterns: Counter[str] = Counter()
    for article in read_articles(shared_data / "dragun-2025" / "topics.jsonl"):
        profile = asyncio.run(ExtractiveProfiler()(article))
        plan = asyncio.run(ExtractivePlanner(99)(profile, (), (), EvidenceSet(), None, 1))
        write = extractive_roles(Settings(), lexical_encode).write_questions
        questions = asyncio.run(write(profile, plan.angles, EvidenceSet())).questions
        assert len(questions) == 10
        generic = {
            text for row in GENERIC for text in row.about(subject=subject_of(profile).text).texts
        }
        assert len(generic.intersection(questions)) <= 4
        for question in questions:
            assert len(question.split()) <= 25
            assert not any(claim.text in question for claim in profile.claims)
        patterns.update({pattern(question, profile) for question in questions})
    assert patterns.most_common(1)[0][1] <= 10, patterns.most_common(3)


def investigated(profile: ArticleProfile) -> tuple[Angle, ...]:
    return asyncio.run(ExtractivePlanner(99)(profile, (), (), EvidenceSet(), None, 1)).angles


def on(angles: Iterable[Angle]) -> EvidenceSet:
    """Evidence that speaks to some angles."""
    segment = Segment(segment_id="msmarco_v2.1_doc_00_1#0_0", text="The mill was sold.")
    relevance = {angle.angle_id: 0.9 for angle in angles}
    return EvidenceSet(items=(Evidence(segment=segment, relevance=relevance),))


def test_every_question_holds_an_angle_that_is_searched_for_or_none(
    mini_web_articles: tuple[Article, ...],
) -> None:
    for article in mini_web_articles:
        profile = asyncio.run(ExtractiveProfiler()(article))
        searched = {angle.angle_id for angle in investigated(profile)}
        questions = questions_about(profile, (), profile.publisher)
        assert {one.angle_id for one in questions} <= {"", *searched}


def test_questions_on_a_person_hold_angles_that_are_searched_for() -> None:
    profile = ArticleProfile(
        title="Ilva Brandt: How did the mill boss flee?",
        publisher="",
        host="",
        subject="Ilva Brandt",
        body="Ilva Brandt fled Orrin in May. Brandt was seen in Kessel. Nobody saw Brandt again.",
    )
    searched = {angle.angle_id for angle in investigated(profile)}
    held = {one.texts[0]: one.angle_id for one in questions_about(profile, (), "")}
    assert held["What is the background of Ilva Brandt?"] in searched
    assert held["How have news agencies reported on Ilva Brandt?"] in searched


def test_what_nobody_searched_for_is_not_held_to_be_unanswered(
    mini_web_articles: tuple[Article, ...], lexical_encode: Encode
) -> None:
    for article in mini_web_articles:
        profile = asyncio.run(ExtractiveProfiler()(article))
        angles = investigated(profile)
        write = extractive_roles(Settings(), lexical_encode).write_questions
        unsearched = asyncio.run(write(profile, (), EvidenceSet()))
        assert unsearched == asyncio.run(write(profile, angles, on(angles)))


def test_a_question_on_a_study_holds_the_angle_on_that_study() -> None:
    profile = ArticleProfile(
        title="Mills sold",
        publisher="Orrin Institute",
        host="orrin.example",
        subject="mills",
        studies=("Orrin Institute", "Kessel University"),
        body="A study of Kessel University counted mills. The Orrin Institute wrote of the study.",
    )
    angles = {angle.angle_id: angle for angle in investigated(profile)}
    (text,) = asked.COMMISSIONED.about(study="the Kessel University study").texts[:1]
    (question,) = (
        one for one in questions_about(profile, (), "Orrin Institute") if text in one.texts
    )
    assert angles[question.angle_id].must_mention == ("Kessel University",)


@pytest.mark.parametrize(
    ("title", "body", "claim"),
    [
        (
            "The Sky Takes the Parcel: Cargo Drones Will Carry 60 Percent by 2026",
            "We think cargo drones will carry 60 percent, a large percent, by 2026.",
            "cargo drones will carry 60 percent by 2026",
        ),
        (
            'The "Safe" Sweetener That Triples Kidney Failure',
            "A sweetener, thought safe, leads to kidney failure and more failure.",
            'the "safe" sweetener triples kidney failure',
        ),
        ("How to Prepare a Jackfruit at Home", "Jackfruit is a fruit.", ""),
        ("Birds: A Conspiracy Turned Movement", "Some say birds are drones.", ""),
    ],
)
def test_a_headline_is_asked_about_if_it_states_something(
    title: str, body: str, claim: str
) -> None:
    profile = ArticleProfile(title=title, publisher="", host="", subject="", body=body)
    assert headline_claim(profile) == claim


@pytest.mark.parametrize(
    ("title", "subject", "body", "named", "is_person"),
    [
        (
            "A Bill to Cut",
            "Bog Bill",
            "The bill is bad. So the bill on a bog goes.",
            "the bog bill",
            0,
        ),
        (
            "Ilva Brandt: How did the mill boss flee?",
            "mill boss",
            "Ilva Brandt fled. Brandt was seen. Nobody saw Brandt again.",
            "Ilva Brandt",
            1,
        ),
        ("Sugar Kills", "sugar", "Zerotol is new. " + "He ate zerotol. " * 6, "zerotol", 0),
        ("The Tide Challenge", "Tide Challenge", "The Tide Challenge is a challenge.", None, 0),
    ],
)
def test_a_subject_is_named_as_the_article_writes_it(
    title: str, subject: str, body: str, named: str | None, is_person: int
) -> None:
    profile = ArticleProfile(
        title=title, publisher="", host="", subject=subject, body=body, keywords=("zerotol",)
    )
    found = subject_of(profile)
    assert found.text == (named or f"the {subject}")
    assert found.is_person is bool(is_person)


def test_facts_are_known_by_their_form() -> None:
    body = (
        "A framed certificate hangs there for register entry TM 40817, and QuayLine, the scheme "
        "that carries parcels on the coast with a firm, runs daily. Oswin Tarrell baked in 1931. "
        "Tarrell slept. When Tarrell woke, Oswin Tarrell rose. In a test at Kessel Polytechnic it "
        "held."
    )
    assert documents(body) == ["register entry TM 40817"]
    assert [one.name for one in schemes(body)] == ["QuayLine"]
    assert schemes(body)[0].role == "the scheme that carries parcels on the coast"
    running = "Look at QuayLine, the scheme that has been running on the coast with a firm."
    assert schemes(running)[0].role == "the scheme that has been running on the coast"
    assert named_testers(body) == ["Kessel Polytechnic"]
    assert people_of_the_past("One Night in 1931", body) == ["Oswin Tarrell"]
    assert people_of_the_past("One Night in 2021", body) == []
