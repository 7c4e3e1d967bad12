"""Text read once for comparison with many items: the sentences that it asserts.

Questions assert nothing, and neither do words in an order that nobody writes: shuffled words and
lists of keywords are left out by how rarely their word classes follow one another in English. This
is a rule because people's labels hold no such texts to learn it from.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.learned.reading.tables import word_order
from sidelight.learned.reading.words import Sentence, neighbours, read, split

_Values = npt.NDArray[np.float64]

_FLUENT = 0.12  # nats; of prose 99% is above, of shuffled words 95% below, the text considered
_DOUBTFUL = -0.15  # from here to there, a sentence counts for items whose words it has in order
_TEXT_COUNTS = 12  # as many words as the rest of the text counts when one sentence is looked at
_FUNCTION_WORDS = 0.15  # share below which words are a list; prose has .3 to .5
_FROM_WORDS = 5  # shorter than that, form tells nothing


class Reading(NamedTuple):
    """Sentences that a text asserts.

    Attributes:
        doubtful: Those of them that may be shuffled words.
        pairs: Places of the first of two asserted neighbours, with the text of both.
    """

    sentences: tuple[Sentence, ...]
    asserted: tuple[int, ...]
    doubtful: frozenset[int]
    pairs: tuple[tuple[int, str], ...]

    @property
    def texts(self) -> list[str]:
        """Texts to be encoded: asserted sentences, then asserted pairs."""
        return [
            *(self.sentences[place].text for place in self.asserted),
            *(text for _, text in self.pairs),
        ]


@lru_cache(maxsize=1024)  # a text is read to be encoded, and again for each item
def read_text(text: str, max_words: int | None = None) -> Reading:
    """Read a text, or its first `max_words` words."""
    parts = split(text, max_words)
    sentences = [read(part) for part in parts]
    order = _order(sentences)
    asserted = [
        place
        for place, sentence in enumerate(sentences)
        if order[place] >= _DOUBTFUL and not sentence.asks
    ]
    kept = set(asserted)
    return Reading(
        sentences=tuple(sentences),
        asserted=tuple(asserted),
        doubtful=frozenset(place for place in asserted if order[place] < _FLUENT),
        pairs=tuple(
            (place, both) for place, both in neighbours(parts) if {place, place + 1} <= kept
        ),
    )


def _order(sentences: Sequence[Sentence]) -> list[float]:
    """Return the fluency of each sentence in view of all; a list of words has none."""
    lengths = np.array([len(sentence.words) for sentence in sentences], dtype=np.float64)
    if not lengths.sum():
        return [-np.inf] * len(sentences)
    function = np.array([_function_words(sentence) for sentence in sentences])
    order = np.array([word_order().fluency(sentence.shapes) for sentence in sentences])
    short = lengths < _FROM_WORDS
    found = np.where(short, _mean(order, lengths), _blended(order, lengths))
    found[~short & (_blended(function, lengths) < _FUNCTION_WORDS)] = -np.inf
    values: list[float] = found.tolist()
    return values


def _blended(values: _Values, lengths: _Values) -> _Values:
    among = _TEXT_COUNTS * _mean(values, lengths)
    blended: _Values = (lengths * values + among) / (lengths + _TEXT_COUNTS)
    return blended


def _mean(values: _Values, lengths: _Values) -> float:
    return float(values @ lengths / lengths.sum())


def _function_words(sentence: Sentence) -> float:
    function = sum(
        not stem and not figure
        for stem, figure in zip(sentence.stems, sentence.figures, strict=True)
    )
    return function / len(sentence.words) if sentence.words else 0.0
