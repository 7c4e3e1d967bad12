"""Coreference resolution by rules: "he", "it", "the company", "the Board" replaced by names.

Only the page itself decides, and where two antecedents are possible nothing is replaced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sidelight.generation.reading.names import looks_like_organisation, looks_personal
from sidelight.generation.reading.verbs import first_verb
from sidelight.generation.statements.pointing import (
    CALENDAR,
    CUE,
    ORGANISATION_KINDS,
    PERSON_KINDS,
    loose_pronoun,
    page_names,
    short_name,
)
from sidelight.text import STOPWORDS, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_BACK = 2
_MAX_TITLE_NAME = 5

_LEADING_PRONOUN = re.compile(r"^(?P<word>He|She|It|They|His|Her|Its|Their)\s+(?=\w)")
_LEADING_KIND = re.compile(
    rf"^The\s+(?:(?P<person>{PERSON_KINDS})|(?P<body>{ORGANISATION_KINDS}))(?P<of>['’]s)?\s+"
    r"(?=[a-z])(?!(?:of|for|on|that|which|who|in|at|from)\b)"
)
_NAME_OR_NUMBER = r"(?:[^\W\d_a-z][\w'’&.-]*|\d[\w.-]*)"
_LEADING_NAME = re.compile(
    rf"^(?P<the>The\s+)?(?P<name>{_NAME_OR_NUMBER}(?:\s+(?:(?:of|for|and|the|de|van|von)\s+){{0,2}}"
    rf"{_NAME_OR_NUMBER})*)(?=\s+(?:\([^()]*\)\s+)?[a-z]|,\s)"
)
_TITLE_END = re.compile(r"(?<!\s)\s+[-–—|:]\s+|:\s+|(?<!\s)\s+\(")
_TITLED_PERSON = re.compile(r"\b(?:Dr|Mr|Ms|Mrs|Prof|Professor|Sir|Dame)\.?\s+[^\W\d_a-z][\w’'-]+")
_PERSON = re.compile(
    r"(?<![\w.])(?:(?:Dr|Mr|Ms|Mrs|Prof|Professor|Sir|Dame)\.?\s+)?[^\W\d_a-z][\w’'-]+"
    r"(?:\s+[A-Z]\.)?(?:\s+[^\W\d_a-z][\w’'-]+){1,2}(?!\w)"
)
_OWNER = re.compile(r"^(?:The |.+['’]s )+")
_NEVER_A_PERSON = STOPWORDS | CALENDAR
_TWO_CAPITALS = re.compile(r"[A-Z]+[a-z]+[A-Z]\w*")
_FUNCTION_WORDS = frozenset({"of", "and", "for", "the", "&", "de"})


@dataclass
class Page:
    """A window of a page while it is read sentence by sentence.

    Attributes:
        title: Its title.
        text: The window.
        about: The name that the title is, as in an encyclopedia; else empty.
        known: Words that are names on it, wherever they stand.
        subject: The name that the last sentence began with, or empty.
        recent: The last sentences of the same paragraph, as they were written.
    """

    title: str
    text: str
    about: str = field(init=False)
    known: frozenset[str] = field(init=False)
    subject: str = ""
    recent: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find out what the page is about."""
        self.title = one_line(self.title)
        self.about, self.known = _title_name(self.title), page_names(self.text)

    def move_on(self, sentence: str, as_named: str) -> None:
        """Record a sentence that was read, and its form with names."""
        begins = _leading_name(as_named, self.text)
        if begins or not sentence.startswith(("It ", "Its ")):
            self.subject = begins
        self.recent = [*self.recent, sentence][-_LOOK_BACK:]

    def new_paragraph(self) -> None:
        """Forget the last sentences: no reference reaches over a line's end."""
        self.recent = []

    def named(self, sentence: str) -> str:
        """Return a sentence with references replaced by names, or nothing if one is ambiguous."""
        if match := _LEADING_PRONOUN.match(sentence):
            name = self._person() if match["word"] in {"He", "She", "His", "Her"} else self._thing()
            if match["word"] in {"They", "Their"} or not name:
                return ""
            own = match["word"] in {"His", "Her", "Its"}
            return f"{name}{_own(own)} {sentence[match.end() :]}"
        if match := _LEADING_KIND.match(sentence):
            name = self._person() if match["person"] else self._body()
            if name and looks_personal(name) == bool(match["person"]):
                return f"{name}{_own(bool(match['of']))} {sentence[match.end() :]}"
            return self._in_full(sentence)
        if match := loose_pronoun(sentence, self.known):
            return self._in_full(self._pronoun_named(sentence, match))
        return self._in_full(sentence)

    def _pronoun_named(self, sentence: str, match: re.Match[str]) -> str:
        word, rest = match["word"].casefold(), sentence[match.end() :]
        if not self.about:
            return sentence
        if looks_personal(self.about):
            if word not in {"he", "she", "him", "his", "her"} or self._person() != self.about:
                return sentence
            own = word == "his" or (word == "her" and _possesses(rest))
        elif word in {"it", "its"} and self.subject == self.about:
            own = word == "its"
        else:
            return sentence
        return f"{sentence[: match.start()]}{self.about}{_own(own)}{rest}"

    def _person(self) -> str:
        """Return the only possible antecedent of "he" or "she", or nothing where there are two."""
        named = {
            name.split()[-1]: name
            for sentence in self.recent
            for name in [*_TITLED_PERSON.findall(sentence), *_PERSON.findall(sentence)]
            if (looks_personal(name) and not _NEVER_A_PERSON.intersection(name.casefold().split()))
            or _TITLED_PERSON.fullmatch(name)
        }
        if looks_personal(self.about):
            return "" if set(named) - set(self.about.split()) else self.about
        if len(named) != 1:
            return ""
        name = next(iter(named.values()))
        return name if self.recent[-1].startswith(name) else ""

    def _thing(self) -> str:
        return "" if looks_personal(self.subject) else self.subject

    def _body(self) -> str:
        """Return the last subject if it is known to be a company, agency or the like."""
        subject = self._thing()
        is_body = subject == self.about or CUE.search(subject) or _TWO_CAPITALS.fullmatch(subject)
        return subject if is_body and not re.search(r"\d", subject) else ""

    def _in_full(self, sentence: str) -> str:
        return in_full(sentence, f"{self.title}\n{self.text}")


def in_full(sentence: str, source: str) -> str:
    """Return a sentence with the one full name that a source has for "the Board" in its place."""
    match = short_name(sentence)
    names = full_names(match["body"], source) if match else set()
    if match is None or len(names) != 1:
        return sentence
    return f"{sentence[: match.start('body')]}{names.pop()}{sentence[match.end('body') :]}"


def full_names(body: str, source: str) -> set[str]:
    """Return the names in a source that end in the word for a kind of body, such as "Board"."""
    # Bounded, since the search begins anew at each capital.
    word = r"[A-Z][\w’'-]{1,40} (?:(?:of|for) )?"
    full = re.compile(rf"(?:{word}){{1,10}}{re.escape(body)}\b(?: of [A-Z]\w+)?")
    names = {_OWNER.sub("", name) for name in full.findall(source)} - {body}
    return {name for name in names if name.split()[0].casefold() not in STOPWORDS}


def with_first_names(sentence: str, source: str, known: Callable[[str], bool]) -> str:
    """Return a sentence with first names added to surnames that are unknown without them.

    Args:
        sentence: On one line.
        source: The window it comes from, which has to give the surname one first name only.
        known: Tells which surnames need none.
    """
    for surname in dict.fromkeys(_ALONE.findall(sentence)):
        if known(surname) or re.search(rf"\b[Tt]he {re.escape(surname)}\b", sentence):
            continue
        full = {
            name
            for name in re.findall(
                rf"\b[A-Z][a-z’'-]+ {re.escape(surname)}\b(?!['’]?s? [A-Z])", source
            )
            if looks_personal(name) and not _NEVER_A_PERSON.intersection(name.casefold().split())
        }
        if len(full) == 1 and (name := full.pop()) not in sentence:
            sentence = re.sub(rf"\b{re.escape(surname)}\b", lambda _: name, sentence, count=1)  # noqa: B023
    return sentence


# A capitalised word with no other beside it.
_ALONE = re.compile(
    r"(?<![A-Z][\w’'.&-] )(?:^|(?<=[a-z,;(\"] ))([A-Z][a-z]+)\b(?!['’]?s?\s+[A-Z&(]|-)"
)


def _leading_name(sentence: str, text: str) -> str:
    """Return the name a sentence begins with, or nothing."""
    match = _LEADING_NAME.match(sentence)
    if match is None:
        return ""
    name = match["name"].removesuffix("'s").removesuffix("’s")
    words = name.split()
    if words[0].casefold() in STOPWORDS:
        return ""
    if len(words) == 1 and not match["the"]:
        inside = rf"(?<=[a-z,] ){re.escape(name)}(?![\w-])"
        if not (re.search(inside, text) or any(letter.isupper() for letter in name[1:])):
            return ""
    return f"The {name}" if match["the"] else name


def _title_name(title: str) -> str:
    name = _TITLE_END.split(title, maxsplit=1)[0].strip()
    words = name.split()
    if not 1 <= len(words) <= _MAX_TITLE_NAME:
        return ""
    if not all(word[0].isupper() or word[0].isdigit() or word in _FUNCTION_WORDS for word in words):
        return ""
    is_name = looks_personal(name) or looks_like_organisation(name)
    return name if is_name or len(words) < _MAX_TITLE_NAME - 1 else ""


def _possesses(rest: str) -> bool:
    """Tell whether "her" is a possessive, by what follows it."""
    if first_verb(rest.strip()) == 0:
        return False  # "credited to her include"
    return re.match(r"\s+(?!(?:an?|the|in|at|on|for|to|with|as|by)\b)[a-z]", rest) is not None


def _own(is_possessive: bool) -> str:  # noqa: FBT001
    return "'s" if is_possessive else ""
