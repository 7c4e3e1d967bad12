"""Questions about what a claim rests on: studies, figures, documents, tests, authorities."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sidelight.generation.extractive.write_questions.clauses import as_inside
from sidelight.generation.extractive.write_questions.facts import (
    documents,
    is_law,
    named_testers,
    people_of_the_past,
    schemes,
)
from sidelight.generation.extractive.write_questions.forms import Question, definite, plain
from sidelight.generation.extractive.write_questions.wordings import worded
from sidelight.generation.reading.figure_phrases import figure_phrases, rising_or_falling
from sidelight.generation.reading.names import find_names, strip_title
from sidelight.schemas.investigation.angle import Aspect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sidelight.schemas.investigation.profile import ArticleProfile

_FIGURES, _STUDIES = 3, 2
_MIN_MENTIONS = 2
_FACTS = 2  # of one kind
_MAX_NAME_WORDS = 3
_STUDIES_ARE = "study|survey|trial|experiment|poll"
AUTHORITY = re.compile(
    r"\b(?:Board|Authority|Agency|Administration|Commission|Ministry|Department|Council|Office"
    r"|Organization|Organisation)\b"
)
# How large or heavy something is seldom decides whether an article can be trusted.
_MEASURE = re.compile(
    r"\b(?:centimet|millimet|kilomet|met(?:re|er)s?|grams?|kilogram|pounds|yards|feet|inches|miles"
    r"|degrees|hectares|acres|cents?|pence|year-old)|humidity"
)


def about_studies(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    """Yield what a study did, who paid for it and whether it was corrected."""
    studies = [
        (name, noun)
        for name in profile.studies
        if plain(name) != plain(profile.publisher) and (noun := _kind_of_study(name, profile))
    ]
    for number, (name, noun) in enumerate(studies[:_STUDIES], start=1):
        who = name.split(" of ")[0]
        short = name.split(" and ")[0].removeprefix("the ")
        full = _full_name(short, profile.body)
        study = f"{who}'s {noun}" if strip_title(who) != who else f"the {full} {noun}"
        for kind, weight, angle in (
            ("study", 3.8, "findings"),
            ("funding", 3.6, "funding"),
            ("revised", 2.2, "findings"),
        ):
            texts = worded(kind, study=study, subject=subject)
            yield Question(texts, Aspect.CLAIM, weight / number**0.5, f"study{number}-{angle}")


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


def about_figures(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    """Yield what others say of figures, those of the headline first."""
    title = as_inside(profile.title, profile.body)
    claims = [(0, title), *((n, one.text) for n, one in enumerate(profile.claims, start=1))]
    trends = {
        what: number for number, text in claims if number and (what := rising_or_falling(text))
    }
    for what, number in list(trends.items())[:1]:
        yield Question(worded("trend", what=what), Aspect.FIGURE, 3.4, f"claim-{number}")
    phrases: dict[str, int] = {}
    for number, text in claims:
        if number in trends.values():
            continue
        for phrase in figure_phrases(text)[:1]:
            if not _MEASURE.search(phrase) and (" " in phrase or not number):
                phrases.setdefault(phrase, number)
    for place, (phrase, number) in enumerate(list(phrases.items())[:_FIGURES]):
        texts = worded("sum" if phrase[0] in "$£€" else "figure", phrase=phrase, subject=subject)
        angle = f"claim-{number}" if number else "headline"
        yield Question(texts, Aspect.FIGURE, (2.2 if number else 3.6) - 0.4 * place, angle)


def about_facts(profile: ArticleProfile, subject: str) -> Iterator[Question]:
    """Yield questions about what only some articles have: authorities, documents, tests, law."""
    asked: list[tuple[str, dict[str, str], Aspect, float]] = []
    for name in filter(AUTHORITY.search, profile.organisations):
        the = definite(name, profile.body)
        asked.append(("authority", {"the": the}, Aspect.CONTEXT, 3.2))
    asked += [("document", {"document": one}, Aspect.CLAIM, 3.2) for one in documents(profile.body)]
    asked += [("tester", {"name": one}, Aspect.CLAIM, 3.0) for one in named_testers(profile.body)]
    asked += [
        ("scheme", {"name": one.name, "role": one.role}, Aspect.SOURCE, 2.4)
        for one in schemes(profile.body)
        if one.name in find_names(profile.body)
    ]
    asked += [
        ("past", {"name": one}, Aspect.CLAIM, 3.4)
        for one in people_of_the_past(profile.title, profile.body)
    ]
    if is_law(subject):
        asked.append(("politics", {}, Aspect.VIEWPOINT, 3.4))
    if len(re.findall(r"\b[Tt]he campaign\b", profile.body)) >= _MIN_MENTIONS:
        bare = subject.removeprefix("the ")
        asked.append(("campaign", {"bare": bare}, Aspect.CONTEXT, 3.2))
    per_kind: Counter[str] = Counter()
    for kind, fields, aspect, weight in asked:
        if per_kind[kind] < _FACTS:
            texts = worded(kind, subject=subject, **fields)
            yield Question(texts, aspect, weight - 0.5 * per_kind[kind])
        per_kind[kind] += 1
