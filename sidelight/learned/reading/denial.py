"""Which words of a sentence its own frame takes back: denied, refuted, doubted, or only asked.

A rule, not a weight: "there is no evidence that" turns a sentence into its opposite however many
other words it shares with what it denies, which no sum of features learns from a few thousand
labels of honest answers. The rule knows English phrases; what it does not know stays asserted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sidelight.learned.reading.denial_phrases import (
    POINTS_AT_ANOTHER,
    POINTS_BACK,
    TAKES_BACK_ALL,
    TAKES_BACK_ANOTHER,
    TAKES_BACK_ITSELF,
    TAKES_BACK_REST,
    TAKES_BACK_START,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.learned.reading.words import Sentence

_SHORT = 14  # words; a sentence that takes back the one before it says little else
_CONCEDES = frozenset({"while", "although", "though", "whereas"})
_OPENING = 4  # words in which a concession begins
_INVERTED = frozenset(
    "is are was were does did do has have had can could will would should".split()
)
_SUBJECTS = frozenset(
    "it he she they the a an this that these those there any we you i its his her their".split()
)


class Frame(NamedTuple):
    """What a sentence does with its own words.

    Attributes:
        taken_back: Whether each word is denied, refuted, doubted or only supposed.
        asks: Whether the sentence is a question, so that it says nothing.
        before: Whether it takes back the sentence before it, as "This is false" does.
        all_after: Whether it takes back all that follows.
        all_before: Whether it takes back all before it.
    """

    taken_back: tuple[bool, ...]
    asks: bool
    before: bool
    all_after: bool
    all_before: bool


@lru_cache(maxsize=16_384)
def frame(sentence: Sentence) -> Frame:
    """Return what a sentence does with its own words."""
    words = sentence.words
    joined = " ".join(words)
    taken = [False] * len(words)
    for match in TAKES_BACK_REST.finditer(joined):
        first = joined.count(" ", 0, match.end()) + (1 if match.end() < len(joined) else 0)
        last = _end_of_concession(sentence, first)
        taken[first:last] = [True] * len(taken[first:last])
    for match in TAKES_BACK_START.finditer(joined):
        last = joined.count(" ", 0, match.start())
        taken[:last] = [True] * len(taken[:last])
    if TAKES_BACK_ITSELF.search(joined):
        taken = [True] * len(words)
    whole = TAKES_BACK_ALL.search(joined)
    backward = whole is not None and POINTS_BACK.search(joined) is not None
    short = len(words) <= _SHORT and POINTS_AT_ANOTHER.match(joined) is not None
    return Frame(
        taken_back=tuple(taken),
        asks=sentence.asks or _inverted(words),
        before=short and TAKES_BACK_ANOTHER.search(joined) is not None,
        all_after=whole is not None and not backward,
        all_before=backward,
    )


def frames(sentences: Sequence[Sentence]) -> list[Frame]:
    """Return the frame of each sentence of a text, with what its neighbours take back."""
    found = [frame(sentence) for sentence in sentences]
    after = next((place for place, item in enumerate(found) if item.all_after), len(found))
    before = max((place for place, item in enumerate(found) if item.all_before), default=-1)
    return [
        item._replace(taken_back=(True,) * len(item.taken_back))
        if place > after or place < before or (place + 1 < len(found) and found[place + 1].before)
        else item
        for place, item in enumerate(found)
    ]


def _end_of_concession(sentence: Sentence, start: int) -> int:
    """Return where a clause ends that a main clause follows, as in "While no ..., they ..."."""
    if not _CONCEDES & set(sentence.words[:_OPENING]):
        return len(sentence.words)
    place = 0
    for shape in sentence.shapes:
        if shape == "," and place > start:
            return place
        place += shape[0].isalnum()
    return place


def _inverted(words: Sequence[str]) -> bool:
    """Tell whether a sentence begins like a question: a verb, then a subject."""
    return len(words) > 2 and words[0] in _INVERTED and words[1] in _SUBJECTS
