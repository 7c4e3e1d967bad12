"""Tokenised sentences: words in order, their stems, names and figures.

Every other module of this package reads sentences in this form. A sentence is never longer than
`MAX_WORDS` words, so the cost of comparing all pairs of its words is bounded; a longer one, be it a
list without full stops or a page without any, is read as several.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from sidelight.english.quantities import canonical
from sidelight.english.vocabulary import CALENDAR
from sidelight.learned.reading.tables import frequencies
from sidelight.text import STOPWORDS, clean, content_words, one_line, sentences, stems

MAX_WORDS = 60
"""Words of one sentence, and of two neighbours read together."""

_LONG = 40  # words; a sentence beyond that is also cut where a small letter follows a full stop
_WORDS_A_LINE = 3
_FEW_LINES = 8
_ORDINARY_ENDINGS = ("ing", "ed", "ly", "s", "tion", "ment", "ness", "ity", "er", "al", "ive")
_MANY = 12  # names of one sentence that are looked at
_MAX_LETTERS = 60  # of a word; what is longer is no word, and is cut
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)*|[,;:()\[\]\"“”/|•*–—-]")
_CODE = re.compile(r"\b[A-Z]{1,8}-(?:[A-Z]{1,8}-){0,3}\d[\d-]{0,20}")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_SOFT_BOUNDARY = re.compile(r"(?<=[.;!?])\s+")
_AFTER_QUESTION = re.compile(r"(?<=\?)\s+")
_CLOSING = "\"'”’»)]* "
_TITLES = frozenset("mr mrs ms dr prof sen rep gov president".split())
# Past forms that no rule takes back to the present.
_PRESENT = {
    past: verb
    for verb, pasts in (
        item.split(":")
        for item in (
            "begin:began/begun break:broke/broken bring:brought build:built buy:bought "
            "choose:chose/chosen come:came deal:dealt draw:drew/drawn eat:ate/eaten "
            "fall:fell/fallen feel:felt find:found fly:flew/flown forbid:forbade/forbidden "
            "give:gave/given go:went/gone grow:grew/grown hold:held keep:kept know:knew/known "
            "lead:led leave:left lend:lent lose:lost mean:meant meet:met pay:paid rise:rose/risen "
            "run:ran see:saw/seen sell:sold send:sent show:shown speak:spoke/spoken spend:spent "
            "stand:stood take:took/taken teach:taught tell:told think:thought throw:threw/thrown "
            "win:won write:wrote/written"
        ).split()
    )
    for past in pasts.split("/")
}


class Sentence(NamedTuple):
    """One sentence, word by word; the tuples are parallel.

    Attributes:
        words: Words and figures in order, case-folded; punctuation is left out, and quantities and
            dates are in one notation.
        stems: What their inflections share; empty for words without content.
        named: Whether each is a name: capitalised, not merely because it begins the sentence.
        shapes: Words and punctuation in order, as written, for `fluency`.
    """

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    figures: tuple[str, ...]
    named: tuple[bool, ...]
    shapes: tuple[str, ...]
    asks: bool

    @property
    def content(self) -> frozenset[str]:
        """The different stems."""
        return frozenset(self.stems) - {""}

    @property
    def names(self) -> frozenset[str]:
        """The stems of the names."""
        return frozenset(
            stem for stem, named in zip(self.stems, self.named, strict=True) if named and stem
        )

    @property
    def numbers(self) -> frozenset[str]:
        """The different figures."""
        return frozenset(self.figures) - {""}


class Entity(NamedTuple):
    """Neighbouring names: one person, firm or place."""

    stems: frozenset[str]
    start: int
    end: int


@lru_cache(maxsize=16_384)
def entities(sentence: Sentence) -> tuple[Entity, ...]:
    """Return the names of a sentence, neighbours joined, in order."""
    found: list[Entity] = []
    place = 0
    while place < len(sentence.words):
        start = place
        while place < len(sentence.words) and sentence.named[place]:
            place += 1
        stems = frozenset(sentence.stems[start:place]) - {""}
        if stems:
            found.append(Entity(stems, start, place))
        place += place == start
    return tuple(found[:_MANY])


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a word by `text.stems`, irregular verbs included; empty for a stop word.

    Of the parts of "well-known" or "11,270" it is the longest, in every process the same.
    """
    found = stems(_PRESENT.get(word, word))
    return max(found, key=lambda part: (len(part), part), default="")


def content_stems(text: str) -> list[str]:
    """Return the stems of a text's content words in order, repeated ones included."""
    return [found for word in content_words(one_line(text)) if (found := stem(word))]


@lru_cache(maxsize=16_384)
def read(text: str) -> Sentence:
    """Take a sentence apart; what follows its first `MAX_WORDS` words is left out."""
    text = one_line(text)
    cut = " ".join(canonical(text).split()[:MAX_WORDS])
    pieces = tuple(match.group()[:_MAX_LETTERS] for match in _TOKEN.finditer(cut))
    words = [piece for piece in pieces if _LETTER_OR_DIGIT.match(piece)]
    coded = _coded(cut)
    folded = tuple(word.casefold().replace("’", "'") for word in words)
    return Sentence(
        text=text,
        words=folded,
        stems=tuple(stem(word) for word in folded),
        figures=tuple(
            word.rstrip("%") if word[0].isdigit() and not code else ""
            for word, code in zip(folded, coded, strict=True)
        ),
        named=tuple(_named(words, place) for place in range(len(words))),
        shapes=pieces,
        asks=text.rstrip(_CLOSING).endswith("?"),
    )


_NOTE_MARKS = re.compile(r"(?<=[.!?])(?:\[\d{1,3}\])+(?=\s|$)")  # "... in 2024.[19] In March"


def split(text: str, max_words: int | None = None) -> list[str]:
    """Return the sentences of a text or its first words, none longer than `MAX_WORDS` words."""
    if max_words is not None:
        text = _first_words(text, max_words)
    text = _NOTE_MARKS.sub("", clean(text))
    # Some pages come with every word or phrase on a line of its own.
    if len(text.split()) < _WORDS_A_LINE * (text.count("\n") - _FEW_LINES):
        text = one_line(text)
    found: list[str] = []
    for sentence in sentences(text):
        long = len(sentence.split()) > _LONG
        for part in (_SOFT_BOUNDARY if long else _AFTER_QUESTION).split(sentence):
            words = part.split()
            found += [
                " ".join(words[start : start + MAX_WORDS])
                for start in range(0, len(words), MAX_WORDS)
            ]
    return [sentence for sentence in found if _LETTER_OR_DIGIT.search(sentence)]


def neighbours(parts: list[str]) -> list[tuple[int, str]]:
    """Return every two neighbours that are not long together, each with the place of the first."""
    return [
        (place, f"{left} {right}")
        for place, (left, right) in enumerate(pairwise(parts))
        if len(left.split()) + len(right.split()) <= MAX_WORDS
    ]


def _first_words(text: str, limit: int) -> str:
    """Return a text up to the end of its `limit`-th word."""
    end = 0
    for count, match in enumerate(re.finditer(r"\S+", text)):
        if count == limit:
            return text[:end]
        end = match.end()
    return text


def _coded(text: str) -> list[bool]:
    """Tell of each word whether it is part of a code, such as MA-2021-0417: no figure."""
    ends = [match.span() for match in _CODE.finditer(text)]
    found, last = [], 0
    for match in _TOKEN.finditer(text):
        if _LETTER_OR_DIGIT.match(match.group()):
            while last < len(ends) and ends[last][1] <= match.start():
                last += 1
            found.append(last < len(ends) and ends[last][0] <= match.start())
    return found


def _named(words: list[str], place: int) -> bool:
    word = words[place]
    if not word[0].isupper() or word.casefold() in STOPWORDS | CALENDAR | _TITLES:
        return False
    if place:
        return True
    # An ordinary first word is capitalised too. A name is often followed by the rest of it, or is
    # a word that no other topic uses and that has no ending of an ordinary one.
    followed = len(words) > 1 and (words[1][0].isupper() or not word[1:].islower())
    rare = frequencies().is_rare(stem(word.casefold()))
    return followed or (rare and not word.endswith(_ORDINARY_ENDINGS))
