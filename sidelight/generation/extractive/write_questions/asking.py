"""Questions about the facts of an article: its outlet, author, studies, figures, people, claims.

Each fact can be asked about in several wordings. A question names one subject and asks one broad
property of it: that is what people graded best.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sidelight.generation.extractive.write_questions.clauses import as_inside, headline_claim
from sidelight.generation.extractive.write_questions.wordings import worded
from sidelight.generation.reading.figure_phrases import figure_phrases
from sidelight.generation.reading.names import (
    find_names,
    looks_like_place,
    looks_personal,
    strip_title,
)
from sidelight.generation.reading.roles_of_people import role_of
from sidelight.schemas.investigation.angle import Aspect
from sidelight.text import STOPWORDS, content_words, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile

_FIGURES, _PEOPLE, _ORGANISATIONS, _NAMED, _STUDIES, _LINKS = 3, 2, 2, 3, 2, 2
_MIN_MENTIONS = 2


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


def questions_about(
    profile: ArticleProfile, angles: Sequence[Angle], outlet: str
) -> list[Question]:
    """Return what could be asked about an article, and about ties that were found on the way.

    Args:
        profile: The article.
        angles: The angles of its investigation.
        outlet: Its outlet, as pages call it; empty if unknown.
    """
    subject = _subject(profile)
    return [
        *_about_outlet(outlet, subject),
        *_about_author(profile, subject),
        *_about_links(profile, angles, outlet),
        *_about_headline(profile),
        *_about_studies(profile, subject),
        *_about_figures(profile, subject),
        *_about_sources(profile, subject, outlet),
        *_about_subject(subject),
    ]


def _subject(profile: ArticleProfile) -> str:
    """Return one subject, with "the" where the article mostly writes it so.

    Of a subject in two parts the first is kept if it is a name or stands in the title.
    """
    first, _, second = profile.subject.partition(" and ")
    known = not first.islower() or first in profile.title.casefold()
    part = second if second and not known else first
    if part[:1].islower() and part.split()[-1][:1].isupper():
        part = part.partition(" ")[2]  # "cancel Eminem"
    uses = len(re.findall(re.escape(part), profile.body))
    after = [
        word.casefold()
        for word in re.findall(rf"\b[Tt]he\s+{re.escape(part)}(?!\w)(\W*\w*)", profile.body)
    ]
    definite = sum(not word[:2].isspace() or word.strip() in STOPWORDS for word in after)
    return f"the {part}" if uses and definite * 2 >= uses else part


def _about_outlet(outlet: str, subject: str) -> Iterator[Question]:
    if outlet:
        for kind, weight, angle in (
            ("owner", 4.0, "funding"),
            ("reputation", 3.5, "rating"),
            ("interests", 2.6, "funding"),
            ("corrections", 2.6, "record"),
        ):
            texts = worded(kind, outlet=outlet, subject=subject)
            yield Question(texts, Aspect.PUBLISHER, weight, f"publisher-{angle}")


def _about_author(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    for author in profile.authors[:1]:
        for kind, weight, angle in (("background", 4.0, "background"), ("ties", 3.5, "interests")):
            texts = worded(kind, author=author, subject=subject)
            yield Question(texts, Aspect.AUTHOR, weight, f"author1-{angle}")


def _about_links(
    profile: ArticleProfile, angles: Sequence[Angle], outlet: str
) -> Iterator[Question]:
    principal = profile.authors[0] if profile.authors else outlet
    links = [
        angle
        for angle in angles
        if angle.angle_id.startswith("link-") and angle.must_mention[0] != outlet
    ]
    for angle in links[:_LINKS]:
        name = _definite(angle.must_mention[0], profile.body)
        texts = worded("link", principal=principal, name=name)
        yield Question(texts, angle.aspect, 3.0, angle.angle_id)


def _about_headline(profile: ArticleProfile) -> Iterator[Question]:
    if claim := headline_claim(profile):
        yield Question(worded("claim", claim=claim), Aspect.CLAIM, 3.8, "headline")


def _about_studies(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    studies = [name for name in profile.studies if _plain(name) != _plain(profile.publisher)]
    for number, name in enumerate(studies[:_STUDIES], start=1):
        who = name.split(" of ")[0]
        short = name.split(" and ")[0].removeprefix("the ")
        study = f"{who}'s study" if strip_title(who) != who else f"the {short} study"
        for kind, weight, angle in (("study", 3.5, "findings"), ("funding", 3.3, "funding")):
            texts = worded(kind, study=study, subject=subject)
            yield Question(texts, Aspect.CLAIM, weight / number**0.5, f"study{number}-{angle}")


def _about_figures(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    title = as_inside(profile.title, profile.body)
    claims = [(0, title), *((n, one.text) for n, one in enumerate(profile.claims, start=1))]
    phrases: dict[str, int] = {}
    for number, text in claims:
        for phrase in figure_phrases(text)[:1]:
            phrases.setdefault(phrase, number)
    for place, (phrase, number) in enumerate(list(phrases.items())[:_FIGURES]):
        texts = worded("figure", phrase=phrase, subject=subject)
        angle = f"claim-{number}" if number else "headline"
        yield Question(texts, Aspect.FIGURE, 3.0 - 0.4 * place, angle)


def _about_sources(profile: ArticleProfile, subject: str, outlet: str) -> Iterator[Question]:
    roles = {name: role_of(name, profile.body) for name in profile.people}
    known = [name for name, role in roles.items() if " " in role]
    for place, name in enumerate(known[:_PEOPLE]):
        texts = worded("person", name=name, role=roles[name], subject=subject)
        yield Question(texts, Aspect.SOURCE, 2.0 - 0.3 * place)
    asked = [*known, *profile.studies, *profile.authors, outlet, profile.publisher, subject]
    others = [name for name in _matter(profile) if not _is_part_of_any(name, asked)]
    bodies = [name for name in others if name in profile.organisations]
    for place, name in enumerate(bodies[:_ORGANISATIONS]):
        texts = worded("organisation", the=_definite(name, profile.body), subject=subject)
        yield Question(texts, Aspect.SOURCE, 2.0 - 0.4 * place)
    named = [name for name in others if looks_personal(name) and not _is_where(name, profile.body)]
    for place, name in enumerate(named[:_NAMED]):
        texts = worded("named", name=name, subject=subject)
        yield Question(texts, Aspect.SOURCE, 1.9 - 0.3 * place)


def _matter(profile: ArticleProfile) -> list[str]:
    """Return the names that matter to an article: used again, and beside words of its title.

    A site's list of other stories names a great deal that does not.
    """
    title, subject = set(content_words(profile.title)), set(content_words(profile.subject))
    beside = " ".join(
        sentence
        for sentence in sentences(profile.body)
        if subject.issubset(words := content_words(sentence)) or len(title.intersection(words)) > 1
    )
    return [
        name
        for name, count in find_names(profile.body).most_common()
        if count >= _MIN_MENTIONS
        and name in beside
        and " and " not in name
        and not looks_like_place(name)
    ]


def _about_subject(subject: str) -> Iterator[Question]:
    for kind, aspect, weight in (
        ("research", Aspect.CONTEXT, 3.0),
        ("critics", Aspect.VIEWPOINT, 2.5),
        ("history", Aspect.CONTEXT, 2.0),
        ("statistics", Aspect.CONTEXT, 1.8),
    ):
        texts = worded(kind, subject=subject)
        yield Question(texts, aspect, weight, f"subject-{kind}", is_generic=True)


def _is_part_of_any(name: str, others: Sequence[str]) -> bool:
    words = set(_plain(name).split())
    return any(
        words <= set(_plain(other).split()) or (other and _plain(other) in _plain(name))
        for other in others
    )


def _plain(name: str) -> str:
    return strip_title(name).casefold().removeprefix("the ")


def _definite(name: str, body: str) -> str:
    """Return a name with "the" where the article mostly writes it so, or its form asks for it."""
    if looks_personal(name) or looks_like_place(name) or name.casefold().startswith("the "):
        return name
    uses = len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", body))
    definite = len(re.findall(rf"\b[Tt]he\s+{re.escape(name)}(?!\w)", body))
    return f"the {name}" if 2 * definite > uses or (not uses and " of " in name) else name


def _is_where(name: str, body: str) -> bool:
    """Tell whether a text mostly says that things are in or come from a name."""
    uses = len(re.findall(re.escape(name), body))
    return 2 * len(re.findall(rf"\b(?:in|at|near|from|to)\s+{re.escape(name)}", body)) >= uses
