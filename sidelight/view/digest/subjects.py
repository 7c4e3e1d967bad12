"""Grouping of a report's sentences by subject, and the word similarity of two sentences.

Similarity weighs words by how few sentences of an article hold them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING

from sidelight.schemas.investigation.angle import Aspect
from sidelight.text import content_words, tokens
from sidelight.view.digest.model import Paragraph

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.view.digest.article import Told
    from sidelight.view.report import ShownSentence

_NAME = re.compile(r"[^\W\d_a-z][\w'’-]*")
_OF_A_NAME, _OF_A_FIGURE = 0.5, 1.5  # what such words count for, beside 1 for any other
_ENDINGS = ("'s", "ing", "ed", "es", "s")
_MIN_STEM = 4


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return the content words of a text without their endings.

    Unlike the stems of `text.stems` they are not cut to six letters: with those, similarities and
    so digests would change.
    """
    return frozenset(_stem(word) for word in content_words(text))


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    """Return the words of a text that occur in it with a capital only."""
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
        """Return the weighted share of a question's words that a text mentions, in [0, 1]."""
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


PUBLISHER, AUTHOR = "Who publishes it", "Who wrote it"
CLAIMS, RELIED_ON, AROUND = "What it claims", "Whom it relies on", "The wider picture"
_BY_ASPECT = {
    Aspect.PUBLISHER: PUBLISHER,
    Aspect.AUTHOR: AUTHOR,
    Aspect.CLAIM: CLAIMS,
    Aspect.FIGURE: CLAIMS,
    Aspect.SOURCE: RELIED_ON,
    Aspect.CONTEXT: AROUND,
    Aspect.VIEWPOINT: AROUND,
}
_ORDER = (PUBLISHER, AUTHOR, CLAIMS, RELIED_ON, AROUND)
# What begins so is about what the sentence before it is about.
_GOES_ON = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|This|That|These|Those)\b")
_LEAST_CHANCE = 0.1
_LEAST_LIKENESS = 1.0  # from which a sentence is taken to be on a claim of the article


class Subjects:
    """Says what a sentence of a report is on.

    Args:
        told: The article.
        angles: What was asked, by id.
        covers: By the text of a sentence, the chance that it answers each angle.
        likeness: Compares it with sentences of the article where nobody knows what it answers.
    """

    def __init__(
        self,
        told: Told,
        angles: Mapping[str, Angle],
        covers: Mapping[str, Mapping[str, float]],
        likeness: Likeness,
    ) -> None:
        self._told = told
        self._likeness = likeness
        self._angles = angles
        self._covers = covers

    def of(self, texts: Iterable[str]) -> list[str]:
        """Return the subject of each sentence of a report."""
        found: list[str] = []
        for text in texts:
            before = found[-1] if found else AROUND
            found.append(before if _GOES_ON.match(text) and found else self._subject(text, before))
        return found

    def _subject(self, text: str, before: str) -> str:
        named = {
            PUBLISHER: self._told.names_publisher(text),
            AUTHOR: self._told.names_author(text),
        }
        places = {subject: place for subject, place in named.items() if place is not None}
        if places:
            return min(places, key=lambda subject: places[subject])
        chances: dict[str, float] = {}
        for angle_id, chance in self._covers.get(text, {}).items():
            if angle_id in self._angles and chance >= _LEAST_CHANCE:
                subject = _BY_ASPECT[self._angles[angle_id].aspect]
                chances[subject] = max(chance, chances.get(subject, 0.0))
        if not chances and self._covers:
            return before
        if not chances:
            alike = (self._likeness.between(text, said) for said in self._told.sentences)
            return CLAIMS if max(alike, default=0.0) >= _LEAST_LIKENESS else AROUND
        return max(chances, key=lambda subject: (chances[subject], -_ORDER.index(subject)))


def paragraphs(
    sentences: Sequence[ShownSentence], subjects: Sequence[str]
) -> tuple[Paragraph, ...]:
    """Return a report by subject; a subject has the place of its first sentence."""
    grouped: dict[str, list[ShownSentence]] = {}
    for sentence, subject in zip(sentences, subjects, strict=True):
        grouped.setdefault(subject, []).append(sentence)
    return tuple(Paragraph(subject, tuple(group)) for subject, group in grouped.items())
