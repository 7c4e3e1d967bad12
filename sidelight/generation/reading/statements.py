"""The sentences of a page that can stand in a report, made to stand alone where that is safe.

A sentence is changed in five ways only, and all words of the change come from the page: a leading
connective goes; a pronoun, "the company" or "the Board" becomes the name that the page gives it; a
sentence that points to the one before is joined to it by a semicolon; one that means what the page
is about is attributed to the page by its title.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sidelight.generation.reading.injection import gives_orders
from sidelight.generation.reading.names import looks_like_organisation, looks_personal
from sidelight.generation.reading.pointing import (
    CALENDAR,
    CUE,
    ORGANISATION_KINDS,
    PERSON_KINDS,
    definites,
    has_name,
    loose_pronoun,
    page_names,
    points_out,
    short_name,
)
from sidelight.generation.reading.quotable import is_quotable
from sidelight.text import STOPWORDS, clean, count_words, one_line, sentences

_MAX_LINE_WORDS = 400
_MAX_JOINED_WORDS = 48
_MAX_TITLE_WORDS = 12
_LOOK_BACK = 2

# A title such as "Correction notice C-17" or "Survey of growers, 2019" names a document.
_DOCUMENT = re.compile(
    r"\b(?:notice|opinion|decision|ruling|report|study|survey|trial|test|filing|schedule|accounts"
    r"|statistics|assessment|evaluation|re-evaluation|analysis|audit|census|directory|register"
    r"|judg(?:e)?ment|complaint|inquiry|investigation|review|fact[- ]check|corrections?)\b"
    r"|\b[A-Z]{2,}[A-Z0-9/-]*\d",
    re.IGNORECASE,
)
_NOT_ITS_MATTER = re.compile(
    rf"(?:{ORGANISATION_KINDS}|{PERSON_KINDS}|letter|man|woman|boy|girl|child|house|street"
    r"|arrangement|invoice|witness|fund|shop|store|owner|editors?|page|list|note)"
)

_CONNECTIVE = re.compile(
    r"^(?:(?:However|Moreover|Furthermore|Meanwhile|Nevertheless|Nonetheless|Indeed|Also|In fact"
    r"|In addition|Additionally|Notably|Interestingly|Importantly|Of course|For example"
    r"|For instance|Still|Yet|Now|Today|By contrast|In contrast|Overall|In short|In turn),\s+"
    r"|(?:But|And|Yet|So)\s+(?=[^\W_a-z]|the\b|an?\b|in\b|at\b))"
)
_ALSO = re.compile(r"\b(is|are|was|were|has|have|had) also\b")
_CONTRAST = re.compile(r"^(?:But|However,?|Yet|Still,|By contrast,|In contrast,|Nevertheless,)\s+")
_LEADING_PRONOUN = re.compile(r"^(?P<word>He|She|It|They|His|Her|Its|Their)\s+(?=\w)")
_LEADING_KIND = re.compile(
    rf"^The\s+(?:(?P<person>{PERSON_KINDS})|(?P<body>{ORGANISATION_KINDS}))(?P<of>['’]s)?\s+"
    r"(?=[a-z])(?!(?:of|for|on|that|which|who|in|at|from)\b)"
)
_NAME_WORD = r"(?:[^\W\d_a-z][\w'’&.-]*|\d[\w.-]*)"
_LEADING_NAME = re.compile(
    rf"^(?P<the>The\s+)?(?P<name>{_NAME_WORD}(?:\s+(?:(?:of|for|and|the|de|van|von)\s+){{0,2}}"
    rf"{_NAME_WORD})*)(?=\s+(?:\([^()]*\)\s+)?[a-z]|,\s)"
)
_TITLE_END = re.compile(r"\s+[-–—|:]\s+|:\s+|\s+\(")
_PERSON = re.compile(
    r"(?<![\w.])(?:(?:Dr|Mr|Ms|Mrs|Prof|Professor|Sir|Dame)\.?\s+)?[^\W\d_a-z][\w’'-]+"
    r"(?:\s+[A-Z]\.)?(?:\s+[^\W\d_a-z][\w’'-]+){1,2}(?!\w)"
)
_NO_PERSON = STOPWORDS | CALENDAR
_PAST = re.compile(r"\b(?:was|were|had|did|gave|found|made|took|held|\w{2,}ed)\b")
_TITLED = re.compile(r"\b(?:Dr|Mr|Ms|Mrs|Prof|Professor|Sir|Dame)\.?\s+[^\W\d_a-z][\w’'-]+")


class Statement(NamedTuple):
    """Something a page says that can stand in a report.

    Attributes:
        text: One sentence.
        first: Number of the first sentence of the page text that it is made of.
        last: Number of the last one; the same unless two were joined.
        loose: What it calls by its kind alone, such as "company": it stands only for a reader who
            knows that from elsewhere.
    """

    text: str
    first: int
    last: int
    loose: tuple[str, ...] = ()


@lru_cache(maxsize=8192)  # a topic meets the same windows in every round
def statements(text: str, title: str) -> tuple[Statement, ...]:
    """Return what a window of a page says, in its order; joined sentences follow their first.

    A text that gives orders to software that reads it says nothing: its author writes for
    machines, not for readers.

    Args:
        text: The window.
        title: The title of its page, which may name whom "he" or "the company" means.
    """
    if gives_orders(text):
        return ()
    found: list[Statement] = []
    subject, standing, number = "", "", 0
    about, page = _title_name(title), f"{one_line(title)}\n{text}"
    known = page_names(text)
    for line in clean(text).split("\n"):
        if count_words(line) > _MAX_LINE_WORDS:
            continue
        recent: list[str] = []
        for sentence in map(one_line, sentences(line)):
            number += 1
            alone = _alone(sentence, recent, subject, about, page, known)
            loose = _loose(alone, known)
            if alone:
                found.append(Statement(alone, number, number, loose))
            if loose and (framed := _attributed(alone, loose, page)):
                found.append(Statement(framed, number, number))
            follows = loose or _CONTRAST.match(sentence) or (not alone and points_out(sentence, known))
            if standing and follows and (joined := _joined(standing, sentence, page)):
                found.append(Statement(joined, number - 1, number))
            standing = alone if not loose else ""
            subject = _subject(alone or sentence, page) or (subject if _is_it(sentence) else "")
            recent = [*recent, sentence][-_LOOK_BACK:]
        if not line.rstrip().endswith((".", "!", "?", '"', "”")):
            subject, standing = "", ""  # a heading begins something else
    return tuple(found)


def _alone(
    sentence: str,
    recent: list[str],
    subject: str,
    about: str,
    page: str,
    known: frozenset[str],
) -> str:
    """Return a sentence as it can stand alone, or nothing."""
    text = _upper_first(_CONNECTIVE.sub("", sentence))
    text = _ALSO.sub(r"\1", text)
    text = _in_full(_with_names(text, recent, subject, about, known), page)
    if not text or not is_quotable(text) or points_out(text, known):
        return ""
    return text


def _with_names(
    text: str, recent: list[str], subject: str, about: str, known: frozenset[str]
) -> str:
    """Put names in the place of what points back, or return nothing where that is not safe."""
    person = _person_meant(recent, about)
    if match := _LEADING_PRONOUN.match(text):
        personal = match["word"] in {"He", "She", "His", "Her"}
        name = person if personal else _thing(subject)
        if match["word"] in {"They", "Their"} or not name:
            return ""
        own = match["word"] in {"His", "Her", "Its"}
        return f"{_possessive(name) if own else name} {text[match.end() :]}"
    if match := _LEADING_KIND.match(text):
        name = person if match["person"] else _body(subject, about)
        if name and looks_personal(name) == bool(match["person"]):
            return f"{_possessive(name) if match['of'] else name} {text[match.end() :]}"
        return text
    if (match := loose_pronoun(text, known)) and about:
        word, rest = match["word"].casefold(), text[match.end() :]
        if looks_personal(about) and person == about and word in {"he", "she", "him", "his", "her"}:
            own = word == "his" or (word == "her" and re.match(r"\s+[a-z]", rest) is not None)
            own = own and re.match(r"\s+(?:an?|the|in|at|on|for|to|with|as|by)\b", rest) is None
            return f"{text[: match.start()]}{_possessive(about) if own else about}{rest}"
        if not looks_personal(about) and subject == about and word in {"it", "its"}:
            name = _possessive(about) if word == "its" else about
            return f"{text[: match.start()]}{name}{rest}"
    return text


def _in_full(text: str, page: str) -> str:
    """Put the one full name that a page has for "the Board" in its place."""
    match = short_name(text)
    if match is None:
        return text
    body = match["body"]
    full = re.compile(rf"(?:[A-Z][\w’'-]+ (?:(?:of|for|and) )?)+{body}\b(?: of [A-Z]\w+)?")
    names = {
        name for name in full.findall(page) if name.split()[0].casefold() not in STOPWORDS
    }
    if len(names) != 1:
        return text
    return f"{text[: match.start('body')]}{names.pop()}{text[match.end('body') :]}"


def _attributed(sentence: str, loose: tuple[str, ...], page: str) -> str:
    """Return a sentence as what a document says, where it means that document's own matter."""
    name = page.partition("\n")[0].strip("\"“”")
    if not _DOCUMENT.search(name) or '"' in name or count_words(name) > _MAX_TITLE_WORDS:
        return ""
    if any(_NOT_ITS_MATTER.fullmatch(phrase.split()[-1].casefold()) for phrase in loose):
        return ""
    begun = _lower_first(sentence, page)
    return f'According to "{name}", {begun}' if begun else ""


def _loose(sentence: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return what only a reader who knows it from elsewhere can place; all of it if it is nameless.

    A sentence in the past tense that names nothing tells of something in particular.
    """
    found = tuple(definites(sentence, known))
    if not found and sentence and not has_name(sentence, known) and _PAST.search(sentence):
        return (sentence,)
    return found


def _person_meant(recent: list[str], about: str) -> str:
    """Return the one person that "he" or "she" can mean, or nothing where there are two."""
    subject = about if looks_personal(about) else ""
    named = {
        name.split()[-1]: name
        for sentence in recent
        for name in [*_TITLED.findall(sentence), *_PERSON.findall(sentence)]
        if (looks_personal(name) and not _NO_PERSON.intersection(name.casefold().split()))
        or _TITLED.fullmatch(name)
    }
    if subject:
        others = set(named) - set(subject.split())
        return subject if not others else ""
    if len(named) == 1 and recent:
        name = next(iter(named.values()))
        return name if recent[-1].startswith(name) else ""
    return ""


def _thing(subject: str) -> str:
    return "" if looks_personal(subject) else subject


def _body(subject: str, about: str) -> str:
    """Return the subject if it is known to be a company, agency or the like."""
    known = subject == about or CUE.search(subject) or re.fullmatch(r"[A-Z]+[a-z]+[A-Z]\w*", subject)
    return _thing(subject) if known and not re.search(r"\d", subject) else ""


def _subject(sentence: str, page: str) -> str:
    """Return the name a sentence begins with, or nothing."""
    match = _LEADING_NAME.match(sentence)
    if match is None:
        return ""
    name = match["name"].removesuffix("'s").removesuffix("’s")
    words = name.split()
    if len(words) == 1 and not match["the"]:
        inside = rf"(?<=[a-z,] ){re.escape(name)}(?![\w-])"
        if not (re.search(inside, page) or any(c.isupper() for c in name[1:])):
            return ""
    if words[0].casefold() in STOPWORDS:
        return ""
    return f"The {name}" if match["the"] else name


def _is_it(sentence: str) -> bool:
    return re.match(r"^(?:It|Its)\b", sentence) is not None


def _title_name(title: str) -> str:
    """Return the name that the title of a page is, as in an encyclopedia; else nothing."""
    name = one_line(_TITLE_END.split(title, maxsplit=1)[0])
    words = name.split()
    if not 1 <= len(words) <= 5 or not all(
        word[0].isupper() or word[0].isdigit() or word in {"of", "and", "for", "the", "&", "de"}
        for word in words
    ):
        return ""
    if looks_personal(name) or looks_like_organisation(name) or len(words) <= 3:
        return name
    return ""


def _joined(standing: str, sentence: str, page: str) -> str:
    """Return two sentences as one, where the second points to the first or speaks against it."""
    contrast = _CONTRAST.match(sentence)
    rest = sentence[contrast.end() :] if contrast else sentence
    second = _lower_first(rest, page)
    end = standing[-1] if standing[-1] != "." else ""
    text = f"{standing.removesuffix(end).removesuffix('.')}{end}; {'but ' if contrast else ''}{second}"
    if not second or count_words(text) > _MAX_JOINED_WORDS or ";" in standing:
        return ""
    if not is_quotable(text):
        return ""
    if not is_quotable(_upper_first(rest), leaning=True):
        return ""
    return "" if _points_beyond(rest) else text


def _points_beyond(second: str) -> bool:
    """Tell whether a second clause points further back than the sentence before it."""
    return bool(re.search(r"\b(?:the\s+(?:former|latter)|as\s+(?:above|below))\b", second))


def _lower_first(text: str, page: str) -> str:
    """Return a sentence as it goes on after other words, or nothing if that is not known."""
    match = re.match(r"[\w’'-]+", text)
    if match is None:
        return ""
    first = match.group()
    plain = first[0].lower() + first[1:]
    if plain in STOPWORDS or re.search(rf"(?<![\w-]){re.escape(plain)}(?![\w-])", page):
        return text[0].lower() + text[1:]
    inside = rf"(?<=[a-z,;:] ){re.escape(first)}(?![\w-])"
    is_name = any(c.isupper() or c.isdigit() for c in first[1:]) or re.search(inside, page)
    return text if is_name else ""


def _upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _possessive(name: str) -> str:
    return f"{name}'s"
