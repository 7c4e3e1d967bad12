"""Questions about the facts of an article: its outlet, author, studies, figures, people, claims.

A question names one subject and asks one broad property of it: people graded such questions best.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sidelight.generation.extractive import asked
from sidelight.generation.extractive.write_questions.facts import (
    as_inside,
    documents,
    headline_claim,
    is_about_health,
    is_forecast,
    is_law,
    named_testers,
    people_of_the_past,
    schemes,
)
from sidelight.generation.extractive.write_questions.subjects import Subject, subject_of
from sidelight.generation.reading.names import (
    find_names,
    looks_like_place,
    looks_personal,
    role_of,
    strip_title,
)
from sidelight.generation.reading.verbs import figure_phrases, rising_or_falling
from sidelight.text import content_words, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.generation.extractive.asked import Question
    from sidelight.schemas.investigation.angle import Angle, ArticleProfile

_LINKS, _FIGURES = 2, 3
_PEOPLE, _ORGANISATIONS, _NAMED = 2, 2, 3
_FACTS = 2  # of one kind
_MIN_MENTIONS = 2
_MAX_NAME_WORDS = 3
_BARE_ROLE = 2  # words: "a professor" tells nobody who is meant
_MIN_TESTED = 2
_TESTED = re.compile(r"\b(?:lab|laboratory|tested|tests|prototype)\b")
_AWARD = re.compile(r"\b(?:Prize|Award|Medal|Fellowship|Scholarship|Grant)$")
_STUDIES_ARE = "study|survey|trial|experiment|poll"
_AUTHORITY = re.compile(
    r"\b(?:Board|Authority|Agency|Administration|Commission|Ministry|Department|Council|Office"
    r"|Organization|Organisation)\b"
)
# How large or heavy something is seldom decides whether an article can be trusted.
_MEASURE = re.compile(
    r"\b(?:centimet|millimet|kilomet|met(?:re|er)s?|grams?|kilogram|pounds|yards|feet|inches|miles"
    r"|degrees|hectares|acres|cents?|pence|year-old)|humidity"
)
_LEADER = re.compile(r"\b(?:founder|chief executive|president|owner|director|chair|head)\b")
_TAKES_THE = re.compile(
    r"\b(?:Prize|Award|Medal|Fellowship|Scholarship|Grant|Institute|Foundation|Fund|Board|Council"
    r"|Centre|Center|Association|Society|Commission|Committee|Party|Union|Alliance|Network)$"
)


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
        angle for angle in angles if asked.LINK.made(angle) and angle.must_mention[0] != outlet
    ]
    return [
        *_about_outlet(outlet, subject, has_links=bool(links)),
        *_about_author(profile, subject),
        *_about_links(profile, links, outlet),
        *_about_headline(profile),
        *_about_studies(profile),
        *_about_figures(profile, subject.text),
        *_about_sources(profile, subject.text, outlet),
        *_about_facts(profile, subject.text),
        *_about_subject(subject, profile),
    ]


def _about_outlet(outlet: str, subject: Subject, *, has_links: bool) -> Iterator[Question]:
    if not outlet:
        return
    interests = asked.OUTLET_TIES if has_links else asked.OUTLET_INTERESTS
    of_people = (asked.OWNER, asked.REPUTATION, asked.CORRECTIONS)
    of_things = (asked.OWNER, asked.REPUTATION, interests, asked.CORRECTIONS)
    for template in of_people if subject.is_person else of_things:
        yield template.about(outlet=outlet, subject=subject.text)


def _about_author(profile: ArticleProfile, subject: Subject) -> Iterator[Question]:
    for author in profile.authors[:1]:
        for template in (
            asked.BACKGROUND,
            asked.ACQUAINTANCE if subject.is_person else asked.AUTHOR_TIES,
        ):
            yield template.about(author=author, subject=subject.text)
        if is_forecast(profile.title):
            yield asked.FORECASTS.about(author=author)


def _about_links(
    profile: ArticleProfile, links: Sequence[Angle], outlet: str
) -> Iterator[Question]:
    principal = profile.authors[0] if profile.authors else outlet
    for angle in links[:_LINKS]:
        name = _definite(angle.must_mention[0], profile.body)
        template = asked.AWARD if _AWARD.search(name) else asked.LINKED
        question = template.about(principal=principal, name=name)
        yield question._replace(aspect=angle.aspect, angle_id=angle.angle_id)


def _about_headline(profile: ArticleProfile) -> Iterator[Question]:
    if claim := headline_claim(profile):
        yield asked.HEADLINE_CLAIM.about(claim=claim)


def _about_studies(profile: ArticleProfile) -> Iterator[Question]:
    """Yield what a study did, who paid for it and whether it was corrected."""
    studies = [
        (number, name, noun)
        for number, name in enumerate(profile.studies[: asked.STUDIES], start=1)
        if _plain(name) != _plain(profile.publisher) and (noun := _kind_of_study(name, profile))
    ]
    for place, (number, name, noun) in enumerate(studies, start=1):
        who = name.split(" of ")[0]
        short = name.split(" and ")[0].removeprefix("the ")
        full = _full_name(short, profile.body)
        study = f"{who}'s {noun}" if strip_title(who) != who else f"the {full} {noun}"
        for template in (asked.FINDINGS, asked.COMMISSIONED, asked.REVISED):
            question = template.about(number=number, study=study)
            yield question._replace(weight=template.weight / place**0.5)


def _kind_of_study(name: str, profile: ArticleProfile) -> str:
    """Return what a text calls the work of a name; empty where it only reported."""
    near: list[tuple[str, str]] = re.findall(
        rf"{re.escape(name)}[^.\n]{{0,60}}?\b({_STUDIES_ARE})\b"
        rf"|\b({_STUDIES_ARE})\b[^.\n]{{0,60}}?{re.escape(name)}",
        profile.body,
    )
    found = Counter(one or other for one, other in near)
    if found:
        return max(found, key=lambda noun: (found[noun], noun))
    return "study" if re.search(r"\bstud(?:y|ies)\b", profile.body) else ""


def _full_name(name: str, body: str) -> str:
    """Return the longest name of an organisation that begins as this one."""
    longer = [
        one
        for one in find_names(body)
        if one.startswith(f"{name} ") and len(one.split()) <= _MAX_NAME_WORDS
    ]
    return max(longer, key=lambda one: (len(one.split()), one), default=name)


def _about_figures(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    """Yield what others say of figures, those of the headline first."""
    title = as_inside(profile.title, profile.body)
    texts = (title, *(claim.text for claim in profile.claims[: asked.CLAIMS]))
    claims = list(enumerate(texts))  # 0 for the headline
    trends = {
        what: number for number, text in claims if number and (what := rising_or_falling(text))
    }
    for what, number in list(trends.items())[:1]:
        yield asked.TREND.about(number=number, what=what)
    phrases: dict[str, int] = {}
    for number, text in claims:
        if number in trends.values():
            continue
        for phrase in figure_phrases(text)[:1]:
            if not _MEASURE.search(phrase) and (" " in phrase or not number):
                phrases.setdefault(phrase, number)
    figures = [
        _figure_row(phrase, number).about(number=number, phrase=phrase, subject=subject)
        for phrase, number in phrases.items()
    ]
    yield from _first(figures, _FIGURES, 0.4)


def _figure_row(phrase: str, number: int) -> Question:
    """Return how a figure is asked about: a sum or not, of a claim or (0) of the headline."""
    is_sum = phrase[0] in "$£€"
    if number:
        return asked.SUM if is_sum else asked.FIGURE
    return asked.HEADLINE_SUM if is_sum else asked.HEADLINE_FIGURE


def _about_sources(profile: ArticleProfile, subject: str, outlet: str) -> Iterator[Question]:
    """Yield who the people are that an article names, and its organisations."""
    roles = {name: role_of(name, profile.body) for name in profile.people}
    known = [
        name
        for name, role in roles.items()
        if len(role.split()) > _BARE_ROLE and looks_personal(name)
    ]
    known.sort(key=lambda name: _LEADER.search(roles[name]) is None)
    people = [asked.PERSON.about(name=name, role=roles[name], subject=subject) for name in known]
    yield from _first(people, _PEOPLE, 0.4)
    mentioned = [*known, *profile.studies, *profile.authors, outlet, profile.publisher, subject]
    others = [name for name in _matter(profile) if not _is_part_of_any(name, mentioned)]
    bodies = [
        asked.ORGANISATION.about(the=_definite(name, profile.body), subject=subject)
        for name in others
        if name in profile.organisations and not (name.isupper() or _AUTHORITY.search(name))
    ]
    yield from _first(bodies, _ORGANISATIONS, 0.4)
    named = [
        asked.NAMED.about(name=name, subject=subject) for name in others if name in profile.people
    ]
    yield from _first(named, _NAMED, 0.3)


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


def _is_part_of_any(name: str, others: Sequence[str]) -> bool:
    words = set(_plain(name).split())
    return any(
        words <= set(_plain(other).split()) or (other and _plain(other) in _plain(name))
        for other in others
    )


def _about_facts(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    """Yield questions about what only some articles have: authorities, documents, tests, law."""
    authorities = filter(_AUTHORITY.search, profile.organisations)
    names = find_names(profile.body)
    for questions in (
        [
            asked.AUTHORITY.about(the=_definite(name, profile.body), subject=subject)
            for name in authorities
        ],
        [asked.DOCUMENT.about(document=one) for one in documents(profile.body)],
        [asked.TESTER.about(name=one, subject=subject) for one in named_testers(profile.body)],
        [
            asked.SCHEME.about(name=one.name, role=one.role)
            for one in schemes(profile.body)
            if one.name in names
        ],
        [asked.PAST.about(name=one) for one in people_of_the_past(profile.title, profile.body)],
    ):
        yield from _first(questions, _FACTS, 0.5)
    if is_law(subject):
        yield asked.POLITICS.about(subject=subject)
    if len(re.findall(r"\b[Tt]he campaign\b", profile.body)) >= _MIN_MENTIONS:
        yield asked.CAMPAIGN.about(bare=subject.removeprefix("the "))


def _first(questions: Sequence[Question], count: int, step: float) -> Iterator[Question]:
    """Yield the first questions of one kind, each with a weight lower by a step."""
    for place, question in enumerate(questions[:count]):
        yield question._replace(weight=question.weight - step * place)


def _about_subject(subject: Subject, profile: ArticleProfile) -> Iterator[Question]:
    if subject.text.startswith("the ") and len(_TESTED.findall(profile.body)) >= _MIN_TESTED:
        yield asked.TESTS.about(subject=subject.text)
    findings = asked.TRIALS if is_about_health(profile.body) else asked.RESEARCH
    for template in (
        asked.ESTABLISHED if subject.is_proper else findings,
        asked.CRITICS,
        asked.LIFE if subject.is_person else asked.HISTORY,
        asked.REPORTED if subject.is_proper else asked.STATISTICS,
    ):
        yield template.about(subject=subject.text)


def _plain(name: str) -> str:
    """Return a name without titles and article, in small letters."""
    return strip_title(name).casefold().removeprefix("the ")


def _definite(name: str, body: str) -> str:
    """Return a name with "the" where the article mostly writes it so, or its form asks for it."""
    bare = looks_personal(name) or looks_like_place(name)
    if (bare and not _TAKES_THE.search(name)) or name.casefold().startswith("the "):
        return name
    uses = len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", body))
    written = len(re.findall(rf"\b[Tt]he\s+{re.escape(name)}(?!\w)", body))
    needs_it = " of " in name or _TAKES_THE.search(name)
    return f"the {name}" if 2 * written > uses or needs_it else name
