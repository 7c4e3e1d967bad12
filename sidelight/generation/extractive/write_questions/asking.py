"""Questions about the facts of an article: its outlet, author, studies, figures, people, claims.

Each fact can be asked about in several wordings. A question names one subject and asks one broad
property of it: that is what people graded best.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sidelight.checks.wording import figures
from sidelight.generation.extractive.write_questions.clauses import headline_claim, short_clause
from sidelight.generation.extractive.write_questions.wordings import worded
from sidelight.generation.reading.figure_phrases import figure_phrases
from sidelight.generation.reading.roles_of_people import role_of
from sidelight.schemas.investigation.angle import Aspect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile

_FIGURES, _PEOPLE, _ORGANISATIONS, _STUDIES, _LINKS = 3, 2, 1, 2, 2


class Question(NamedTuple):
    """Something that could be asked.

    Attributes:
        texts: Its wordings; one of them is asked.
        aspect: The side of trustworthiness that it belongs to.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
        angle_id: The angle of the investigation that looks into it; empty for none.
        is_generic: Whether it would fit any article on the subject.
    """

    texts: tuple[str, ...]
    aspect: Aspect
    weight: float
    angle_id: str = ""
    is_generic: bool = False


def questions_about(profile: ArticleProfile, angles: Sequence[Angle]) -> list[Question]:
    """Return what could be asked about an article, and about ties that were found on the way."""
    subject = _subject(profile)
    return [
        *_about_outlet(profile, subject),
        *_about_author(profile, subject),
        *_about_links(profile, angles),
        *_about_claims(profile),
        *_about_studies(profile, subject),
        *_about_figures(profile, subject),
        *_about_sources(profile, subject),
        *_about_subject(subject),
    ]


def _subject(profile: ArticleProfile) -> str:
    """Return the subject with "the" where the article mostly writes it so."""
    subject = re.escape(profile.subject)
    uses = len(re.findall(subject, profile.body))
    definite = len(re.findall(rf"\b[Tt]he\s+{subject}(?!\w)", profile.body))
    return f"the {profile.subject}" if uses and definite * 2 >= uses else profile.subject


def _about_outlet(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    if outlet := profile.publisher:
        for kind, weight, angle in (
            ("owner", 4.0, "funding"),
            ("reputation", 3.5, "rating"),
            ("corrections", 2.3, "record"),
        ):
            texts = worded(kind, outlet=outlet, subject=subject)
            yield Question(texts, Aspect.PUBLISHER, weight, f"publisher-{angle}")


def _about_author(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    for author in profile.authors[:1]:
        for kind, weight, angle in (("background", 4.0, "background"), ("ties", 3.5, "interests")):
            texts = worded(kind, author=author, subject=subject)
            yield Question(texts, Aspect.AUTHOR, weight, f"author1-{angle}")


def _about_links(profile: ArticleProfile, angles: Sequence[Angle]) -> Iterator[Question]:
    principal = profile.authors[0] if profile.authors else profile.publisher
    links = [angle for angle in angles if angle.angle_id.startswith("link-")]
    for angle in links[:_LINKS]:
        texts = worded("link", principal=principal, name=angle.must_mention[0])
        yield Question(texts, angle.aspect, 3.3, angle.angle_id)


def _about_claims(profile: ArticleProfile) -> Iterator[Question]:
    if claim := headline_claim(profile):
        yield Question(worded("claim", claim=claim), Aspect.CLAIM, 3.5, "claim-1")
    for place, (number, clause) in enumerate(_short_figure_claims(profile)):
        weight = 3.2 - 0.3 * place
        yield Question(worded("statement", clause=clause), Aspect.FIGURE, weight, f"claim-{number}")


def _short_figure_claims(profile: ArticleProfile) -> list[tuple[int, str]]:
    clauses = (
        (number, short_clause(claim.text, profile.body))
        for number, claim in enumerate(profile.claims, start=1)
    )
    return [(number, clause) for number, clause in clauses if figures(clause)][:_FIGURES]


def _about_studies(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    for number, study in enumerate(profile.studies[:_STUDIES], start=1):
        for kind, weight, angle in (("study", 3.5, "findings"), ("funding", 2.5, "funding")):
            texts = worded(kind, the=_definite(study), subject=subject)
            yield Question(texts, Aspect.CLAIM, weight / number**0.5, f"study{number}-{angle}")


def _about_figures(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    asked = {number for number, _ in _short_figure_claims(profile)}
    phrases = {
        phrase: number
        for number, claim in reversed(list(enumerate(profile.claims, start=1)))
        if number not in asked
        for phrase in figure_phrases(claim.text)[:1]
    }
    by_claim = sorted(phrases.items(), key=lambda item: item[1])
    for place, (phrase, number) in enumerate(by_claim[:_FIGURES]):
        texts = worded("figure", phrase=phrase, subject=subject)
        yield Question(texts, Aspect.FIGURE, 3.0 - 0.4 * place, f"claim-{number}")


def _about_sources(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    roles = {name: role_of(name, profile.body) for name in profile.people}
    known = [name for name, role in roles.items() if " " in role]
    for place, name in enumerate(known[:_PEOPLE]):
        texts = worded("person", name=name, role=roles[name], subject=subject)
        yield Question(texts, Aspect.SOURCE, 2.2 - 0.4 * place)
    named = [name for name in profile.organisations if " " in name and name not in profile.studies]
    for name in named[:_ORGANISATIONS]:
        yield Question(
            worded("organisation", the=_definite(name), subject=subject), Aspect.SOURCE, 1.8
        )


def _about_subject(subject: str) -> Iterator[Question]:
    for kind, aspect, weight in (
        ("research", Aspect.CONTEXT, 3.0),
        ("critics", Aspect.VIEWPOINT, 2.5),
        ("history", Aspect.CONTEXT, 2.0),
        ("statistics", Aspect.CONTEXT, 1.8),
    ):
        texts = worded(kind, subject=subject)
        yield Question(texts, aspect, weight, f"subject-{kind}", is_generic=True)


def _definite(name: str) -> str:
    return name if name.casefold().startswith("the ") else f"the {name}"
