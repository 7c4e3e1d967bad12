"""Overlap of an item with sentences (words, names, figures) and with a whole text (n-grams)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.words import Sentence, read
from sidelight.text import INSERTED

_NEAR = 3  # words
_PREFIX = 4  # letters
_QUOTED = 4  # fewer words in a sentence's order may stand there for another reason


def weighted_share(weights: Mapping[str, float], stems: frozenset[str]) -> float:
    """Return the share of the weight of some stems that a set of stems holds."""
    total = sum(weights.values())
    return sum(weights[stem] for stem in weights if stem in stems) / total if total else 0.0


def alike_share(weights: Mapping[str, float], stems: frozenset[str]) -> float:
    """Return the same where stems with the same beginning count as one."""
    beginnings = {stem[:_PREFIX] for stem in stems}
    total = sum(weights.values())
    found = sum(weight for stem, weight in weights.items() if stem[:_PREFIX] in beginnings)
    return found / total if total else 0.0


def phrases_near(item: Sentence, sentences: Sequence[Sentence]) -> float:
    """Return the share of the item's neighbouring stems that are near each other in a sentence."""
    wanted = set(pairwise([stem for stem in item.stems if stem]))
    if not wanted:
        return 0.5
    near: set[tuple[str, str]] = set()
    for sentence in sentences:
        stems = [stem for stem in sentence.stems if stem]
        for place, stem in enumerate(stems):
            for other in stems[max(0, place - _NEAR) : place]:
                near |= {(stem, other), (other, stem)}
    return len(wanted & near) / len(wanted)


def order_kept(item: Sentence, sentence: Sentence) -> float:
    """Return how many of the item's shared stems follow each other in the sentence as in it."""
    where = {stem: place for place, stem in reversed(list(enumerate(sentence.stems))) if stem}
    shared = [where[stem] for stem in dict.fromkeys(item.stems) if stem in where]
    if len(shared) < 2:
        return 0.5
    return sum(left < right for left, right in pairwise(shared)) / (len(shared) - 1)


def numbers_of(near: Sequence[Sentence]) -> frozenset[str]:
    """Return all figures of some sentences."""
    return frozenset().union(*(sentence.numbers for sentence in near))


def found_share(wanted: frozenset[str], given: frozenset[str]) -> float:
    """Return the share of what is wanted that is given; .5 where nothing is wanted."""
    return len(wanted & given) / len(wanted) if wanted else 0.5


def novelty(items: Sequence[Sentence], context: Sentence) -> list[dict[str, float]]:
    """Return for each item the weight of its stems, those that say nothing new weighing nothing.

    Nothing new says what the context holds, or, where there are four or more items, what most of
    them hold.
    """
    weigh = frequencies().weight
    counts: dict[str, int] = {}
    for item in items:
        for stem in item.content:
            counts[stem] = counts.get(stem, 0) + 1
    common = {stem for stem, count in counts.items() if len(items) >= 4 and 2 * count > len(items)}
    old = common | context.content
    found = []
    for item in items:
        new = {stem: weigh(stem) for stem in sorted(item.content - old)}
        found.append(new or {stem: weigh(stem) for stem in sorted(item.content)})
    return found


_LETTERS = 4


@lru_cache(maxsize=16_384)
def letters(sentence: Sentence) -> frozenset[str]:
    """Return all runs of four letters, spaces counted: inflections share most of them."""
    text = " ".join(sentence.words)
    return frozenset(text[i : i + _LETTERS] for i in range(len(text) - _LETTERS + 1))


def letters_found(item: Sentence, sentences: Sequence[Sentence]) -> float:
    """Return the share of the item's runs of letters that the sentences hold."""
    return _held_share(letters(item), map(letters, sentences))


def pairs_found(item: Sentence, sentences: Sequence[Sentence]) -> float:
    """Return the share of the item's neighbouring words that are neighbours in a sentence."""
    pairs = frozenset(pairwise(item.words))
    return _held_share(pairs, (pairwise(sentence.words) for sentence in sentences))


def _held_share(wanted: frozenset[Any], held: Iterable[Iterable[Any]]) -> float:
    return 1 - len(wanted.difference(*held)) / len(wanted) if wanted else 0.0


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


def without_inserted(item: Sentence, sentences: Sequence[Sentence]) -> Sentence:
    """Return an item without its words in brackets, where it quotes a sentence but for these.

    They stand for a word such as "our", so that sentence lacks them; others of the text have them.
    """
    if "[" not in item.text:
        return item
    rest = read(INSERTED.sub(" ", item.text))
    known = frozenset[str]().union(*(sentence.content for sentence in sentences))
    parts = [read(part).words for part in INSERTED.split(item.text)]
    is_quoted = sum(map(len, parts)) >= _QUOTED and any(
        _has_in_order(sentence, parts) for sentence in sentences
    )
    return rest if is_quoted and item.content - rest.content <= known else item


def _has_in_order(sentence: Sentence, parts: Sequence[tuple[str, ...]]) -> bool:
    left = f" {' '.join(sentence.words)} "
    for part in filter(None, parts):
        _, found, behind = left.partition(f" {' '.join(part)} ")
        if not found:
            return False
        left = f" {behind}"
    return True
