"""How much of an item's words, phrases, names and figures sentences share with it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.learned.reading.words import Sentence

_NEAR = 3  # words
_PREFIX = 4  # letters


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


def _pairs_of(sentence: Sentence) -> list[tuple[str, str]]:
    return list(pairwise([stem for stem in sentence.stems if stem]))


def phrases_near(item: Sentence, sentences: Sequence[Sentence]) -> float:
    """Return the share of the item's neighbouring stems that are near each other in a sentence."""
    wanted = set(_pairs_of(item))
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
