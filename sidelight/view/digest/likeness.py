"""How much two sentences have in common, by words that few sentences of an article hold."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING

from sidelight.text import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_NAME = re.compile(r"[^\W\d_a-z][\w'’-]*")
_OF_A_NAME, _OF_A_FIGURE = 0.5, 1.5  # what such words count for, beside 1 for any other
_ENDINGS = ("'s", "ing", "ed", "es", "s")
_MIN_STEM = 4


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, without their endings."""
    return frozenset(_stem(word) for word in content_words(text))


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    """Return the words of a text that stand in it with a capital alone."""
    capital = {_stem(word) for match in _NAME.findall(text) for word in tokens(match)}
    small = {_stem(word) for word in tokens(_NAME.sub(" ", text))}
    return frozenset(capital - small)


class Likeness:
    """Compares sentences: those on one figure are more alike than those that name one person.

    Args:
        texts: What is compared; a word counts the more, the fewer of them have it.
        ignored: Words that say nothing here, such as the names of those who publish the article.
    """

    def __init__(self, texts: Iterable[str], ignored: str = "") -> None:
        bags = [stems(text) for text in texts]
        self._ignored = stems(ignored)
        self._holding = Counter(word for bag in bags for word in bag)
        self._n_texts = len(bags)

    def share(self, asked: str, text: str) -> float:
        """Return how much of what is asked a text mentions, in [0, 1]."""
        wanted = stems(asked)
        return self._weight(wanted & stems(text)) / (self._weight(wanted) or 1.0)

    def between(self, first: str, second: str) -> float:
        """Return how alike two sentences are, at least 0; nothing counts for one shared word."""
        one, other = stems(first), stems(second)
        shared = (one & other) - self._ignored
        if len(shared) < 2:
            return 0.0
        names = _names(first) & _names(second)
        return self._weight(shared, names) / sqrt(self._weight(other) or 1.0)

    def _weight(self, words: Iterable[str], names: Container[str] = ()) -> float:
        # Sorted, because a sum of floats depends on its order.
        return sum(
            log((self._n_texts + 1) / (self._holding[word] + 0.5))
            * (_OF_A_NAME if word in names else _OF_A_FIGURE if word[:1].isdigit() else 1.0)
            for word in sorted(words)
        )


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word
