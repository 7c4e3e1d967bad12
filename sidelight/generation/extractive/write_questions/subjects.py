"""Subject and outlet of an article, as a question names them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from sidelight.generation.extractive.write_questions.facts import as_inside
from sidelight.generation.reading.names import find_names, host_label, looks_personal
from sidelight.learned.reading.tables import frequencies
from sidelight.text import STOPWORDS, one_line, stems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.schemas.investigation.angle import ArticleProfile

_OFTEN, _AT_LEAST = 2, 5  # uses of a named thing, as a multiple of the phrase's, and in all
_CENTRAL = 4  # keywords among which it is
_CALLED_SO = 2  # uses of a surname alone
_MIN_LABEL = 7  # shorter ones are words that any text may hold
_WORD = re.compile(r"[\w'’-]+")


class Subject(NamedTuple):
    """Subject of an article.

    Attributes:
        text: As it stands inside a question, with "the" where it needs it.
        is_proper: Whether it is a person, an organisation or an event of that name: something
            that acted or happened, where others are things that can be studied.
        is_person: Whether it is a person.
    """

    text: str
    is_proper: bool
    is_person: bool = False


def outlet_name(profile: ArticleProfile, pages: Iterable[str]) -> str:
    """Return the outlet's name, or its host if nothing calls it otherwise.

    Pages write a name where an address writes one word.

    Args:
        profile: The article.
        pages: What was read about it.
    """
    outlet = profile.publisher
    label = host_label(outlet)
    if "." not in outlet or " " in outlet or len(label) < _MIN_LABEL:
        return outlet
    letters = r"\s?".join(map(re.escape, label))
    pattern = re.compile(rf"(?<![\w.@/]){letters}(?![\w.])", re.IGNORECASE)
    found = Counter(
        one_line(form)
        for text in (profile.body, *pages)
        for form in pattern.findall(text)
        if form[0].isupper()
    )
    return max(found, key=lambda form: (found[form], form)) if found else outlet


def subject_of(profile: ArticleProfile) -> Subject:
    """Return the one subject that questions name."""
    part = _one_part(profile)
    if part.islower() and (named := _named_thing(profile)):
        return Subject(named, is_proper=False)
    person = part if _is_person(part, profile.body) else ""
    if not person and not all(_is_name(word) for word in part.split()):
        person = _person_in_title(profile)
    if person:
        return Subject(person, is_proper=True, is_person=True)
    if part not in profile.body:
        part = as_inside(part, profile.body)
    return Subject(_with_article(part, profile.body), is_proper=_is_name(part))


def _one_part(profile: ArticleProfile) -> str:
    """Return the phrase of a subject in two parts that is a name or stands in the title."""
    first, _, second = profile.subject.partition(" and ")
    known = not first.islower() or first in profile.title.casefold()
    part = second if second and not known else first
    verb, _, name = part.partition(" ")
    if verb.islower() and " " not in name and _is_name(name):
        return name  # "cancel Eminem"
    return part


def _named_thing(profile: ArticleProfile) -> str:
    """Return a rare word that is central to this text, such as the name of an additive."""
    words = Counter(word.casefold() for word in _WORD.findall(profile.body))
    phrase = len(re.findall(re.escape(profile.subject), profile.body, re.IGNORECASE))
    for keyword in profile.keywords[:_CENTRAL]:
        if (
            words[keyword] >= max(_AT_LEAST, _OFTEN * phrase)
            and keyword not in profile.subject.casefold()
            and len(re.findall(rf"\b{re.escape(keyword)}\b", profile.body)) * 2 > words[keyword]
            and all(frequencies().is_rare(stem) for stem in stems(keyword))
        ):
            return keyword
    return ""


def _person_in_title(profile: ArticleProfile) -> str:
    counts = find_names(profile.body)
    inside = [name for name in counts if name in profile.title and _is_person(name, profile.body)]
    return max(inside, key=lambda name: (counts[name], name), default="")


def _is_person(name: str, body: str) -> bool:
    """Tell whether a text calls a name in full by its last part, too, as it does with people."""
    if not looks_personal(name):
        return False
    first, last = name.split(maxsplit=1)[0], name.rsplit(maxsplit=1)[-1]
    alone = re.findall(rf"(?<!{re.escape(first)} )\b{re.escape(last)}(?!\s[A-Z])\b", body)
    is_word = re.search(rf"\b{re.escape(last.casefold())}\b", body)  # "the challenge"
    return len(alone) >= _CALLED_SO and name in body and not is_word


def _is_name(text: str) -> bool:
    return text[:1].isupper()


def _with_article(part: str, body: str) -> str:
    """Return a phrase with "the" where the article mostly writes it, or its last word, so."""
    compound = " " in part and part.islower() and part not in body
    head = part.rsplit(maxsplit=1)[-1] if compound else part
    uses = len(re.findall(rf"(?<!\w){re.escape(head)}(?!\w)", body))
    after = [
        word.casefold() for word in re.findall(rf"\b[Tt]he\s+{re.escape(head)}(?!\w)(\W*\w*)", body)
    ]
    definite = sum(not word[:2].isspace() or word.strip() in STOPWORDS for word in after)
    return f"the {part}" if uses and definite * 2 >= uses else part
