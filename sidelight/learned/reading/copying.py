"""How far a text repeats an item's letters and runs of words, whatever its sentences."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.learned.reading.words import Sentence

_LETTERS = 4


@lru_cache(maxsize=16_384)
def letters(sentence: Sentence) -> frozenset[str]:
    """Return all runs of four letters, spaces counted: inflections share most of them."""
    text = " ".join(sentence.words)
    return frozenset(text[i : i + _LETTERS] for i in range(len(text) - _LETTERS + 1))


def letters_found(item: Sentence, sentences: Sequence[Sentence]) -> float:
    """Return the share of the item's runs of letters that the sentences hold."""
    wanted = letters(item)
    if not wanted:
        return 0.0
    missing = set(wanted)
    for sentence in sentences:
        missing -= letters(sentence)
    return 1 - len(missing) / len(wanted)


def pairs_found(item: Sentence, sentences: Sequence[Sentence]) -> float:
    """Return the share of the item's neighbouring words that are neighbours in a sentence."""
    wanted = set(pairwise(item.words))
    if not wanted:
        return 0.0
    missing = set(wanted)
    for sentence in sentences:
        missing.difference_update(pairwise(sentence.words))
    return 1 - len(missing) / len(wanted)


def longest_run(item: Sentence, sentences: Sequence[Sentence]) -> int:
    """Return the length in words of the longest run of the item in one of the sentences."""
    return max((_common_run(item.words, sentence.words) for sentence in sentences), default=0)


def _common_run(left: Sequence[str], right: Sequence[str]) -> int:
    where: dict[str, list[int]] = {}
    for place, word in enumerate(right):
        where.setdefault(word, []).append(place)
    best, previous = 0, dict[int, int]()
    for word in left:
        current = {place: previous.get(place - 1, 0) + 1 for place in where.get(word, ())}
        best, previous = max(best, *current.values(), 0), current
    return best
