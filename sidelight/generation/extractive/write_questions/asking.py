"""Questions about the facts of an article: its outlet, author, studies, figures, people, claims.

Each fact can be asked about in several wordings. A question names one subject and asks one broad
property of it: that is what people graded best.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.extractive.write_questions.clauses import headline_claim
from sidelight.generation.extractive.write_questions.evidence import (
    about_facts,
    about_figures,
    about_studies,
)
from sidelight.generation.extractive.write_questions.facts import is_about_health, is_forecast
from sidelight.generation.extractive.write_questions.forms import Question, definite
from sidelight.generation.extractive.write_questions.sources import about_sources
from sidelight.generation.extractive.write_questions.subjects import Subject, subject_of
from sidelight.generation.extractive.write_questions.wordings import worded
from sidelight.schemas.investigation.angle import Aspect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile

_LINKS = 2
_TESTED = re.compile(r"\b(?:lab|laboratory|tested|tests|prototype)\b")
_MIN_TESTED = 2
_AWARD = re.compile(r"\b(?:Prize|Award|Medal|Fellowship|Scholarship|Grant)$")


def questions_about(
    profile: ArticleProfile, angles: Sequence[Angle], outlet: str
) -> list[Question]:
    """Return what could be asked about an article, and about ties that were found on the way.

    Args:
        profile: The article.
        angles: The angles of its investigation.
        outlet: Its outlet, as pages call it; empty if unknown.
    """
    subject = subject_of(profile)
    links = [
        angle
        for angle in angles
        if angle.angle_id.startswith("link-") and angle.must_mention[0] != outlet
    ]
    return [
        *_about_outlet(outlet, subject, has_links=bool(links)),
        *_about_author(profile, subject),
        *_about_links(profile, links, outlet),
        *_about_headline(profile),
        *about_studies(profile, subject.text),
        *about_figures(profile, subject.text),
        *about_sources(profile, subject.text, outlet),
        *about_facts(profile, subject.text),
        *_about_subject(subject, profile),
    ]


def _about_outlet(outlet: str, subject: Subject, *, has_links: bool) -> Iterator[Question]:
    if outlet:
        for kind, weight, angle in (
            ("owner", 4.0, "funding"),
            ("reputation", 2.7, "rating"),
            # Whoever has ties that were found may have others.
            ("business ties" if has_links else "interests", 3.0 if has_links else 2.2, "funding"),
            ("corrections", 2.7, "record"),
        ):
            if angle != "funding" or kind == "owner" or not subject.is_person:
                texts = worded(kind, outlet=outlet, subject=subject.text)
                yield Question(texts, Aspect.PUBLISHER, weight, f"publisher-{angle}")


def _about_author(profile: ArticleProfile, subject: Subject) -> Iterator[Question]:
    ties = "acquaintance" if subject.is_person else "ties"
    for author in profile.authors[:1]:
        for kind, weight, angle in (("background", 4.0, "background"), (ties, 3.5, "interests")):
            texts = worded(kind, author=author, subject=subject.text)
            yield Question(texts, Aspect.AUTHOR, weight, f"author1-{angle}")
        if is_forecast(profile.title):
            texts = worded("forecasts", author=author)
            yield Question(texts, Aspect.AUTHOR, 3.1, "author1-earlier-work")


def _about_links(
    profile: ArticleProfile, links: Sequence[Angle], outlet: str
) -> Iterator[Question]:
    principal = profile.authors[0] if profile.authors else outlet
    for angle in links[:_LINKS]:
        name = definite(angle.must_mention[0], profile.body)
        kind = "award" if _AWARD.search(name) else "link"
        texts = worded(kind, principal=principal, name=name)
        yield Question(texts, angle.aspect, 2.6, angle.angle_id)


def _about_headline(profile: ArticleProfile) -> Iterator[Question]:
    if claim := headline_claim(profile):
        yield Question(worded("claim", claim=claim), Aspect.CLAIM, 3.8, "headline")


def _about_subject(subject: Subject, profile: ArticleProfile) -> Iterator[Question]:
    if subject.text.startswith("the ") and len(_TESTED.findall(profile.body)) >= _MIN_TESTED:
        yield Question(
            worded("tests", subject=subject.text), Aspect.CONTEXT, 3.2, "subject-research"
        )
    findings = "established" if subject.is_proper else "research"
    if findings == "research" and is_about_health(profile.body):
        findings = "trials"
    for kind, aspect, weight in (
        (findings, Aspect.CONTEXT, 3.0),
        ("critics", Aspect.VIEWPOINT, 2.5),
        ("life" if subject.is_person else "history", Aspect.CONTEXT, 1.8),
        ("reported" if subject.is_proper else "statistics", Aspect.CONTEXT, 1.8),
    ):
        texts = worded(kind, subject=subject.text)
        angle = "research" if kind == findings else kind
        yield Question(texts, aspect, weight, f"subject-{angle}", is_generic=True)
