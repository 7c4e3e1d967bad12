"""Word frequencies and word-class transitions of English, counted once in public text.

They come from the 6,011 segments of MS MARCO V2.1 that TREC RAG 2024 published with its 301 topics:
how many topics use a word, and which classes of words follow one another. No text can be recovered
from them, and they do not depend on what is judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

FREQUENCIES_FILE = Path(__file__).parents[1] / "weights" / "word_frequencies.json"
TRANSITIONS_FILE = Path(__file__).parents[1] / "weights" / "word_order.json"

NEUTRAL = "w"
"""The kind of a word that is no other kind."""

_ENDINGS = "ing ed ly tion ment ness ity able al ive ous ic er est s".split()
_PUNCTUATION = {
    ",": ",",
    ":": ":",
    ";": ":",
    "(": "()",
    ")": "()",
    "[": "()",
    "]": "()",
} | dict.fromkeys('"“”', '"')


class Frequencies:
    """Rarity of words, from the number of topics whose segments use them.

    Args:
        counts: Stem -> how many of them use it; stems in very few topics are left out.
    """

    def __init__(self, topics: int, counts: Mapping[str, int]) -> None:
        self._weights = {stem: log((topics + 1) / (count + 0.5)) for stem, count in counts.items()}
        self._rare = log(topics + 1)

    def weight(self, stem: str) -> float:
        """Return the inverse topic frequency of a stem, in nats: about 0 to 5.7."""
        return self._weights.get(stem, self._rare)

    def is_rare(self, stem: str) -> bool:
        """Tell whether hardly any topic uses a stem."""
        return bool(stem) and stem not in self._weights

    def weights(self, stems: Iterable[str]) -> dict[str, float]:
        """Return the weight of each stem."""
        return {stem: self.weight(stem) for stem in stems}


class WordOrder:
    """Plausibility of a word order in English.

    Words fall into kinds: the commonest function words each by itself, all others by capital,
    ending or figure. `bonds[i, j]` is how much more often kind j follows kind i than chance would
    have it, in nats.

    Args:
        kinds: The kinds; the first and last are the beginning and the end of a sentence.
    """

    def __init__(self, kinds: Iterable[str], bonds: npt.NDArray[np.float64]) -> None:
        self._places = {kind: place for place, kind in enumerate(kinds)}
        self._bonds = bonds

    def fluency(self, shapes: tuple[str, ...]) -> float:
        """Return the mean bond of neighbours: about .5 in prose, about -.4 in shuffled words."""
        places = [0, *(self._place(shape) for shape in shapes), len(self._bonds) - 1]
        return float(self._bonds[places[:-1], places[1:]].mean())

    def _place(self, shape: str) -> int:
        word = shape.casefold().replace("’", "'")
        if word in self._places:
            return self._places[word]
        return self._places.get(kind_of(shape), self._places[NEUTRAL])


def kind_of(shape: str) -> str:
    """Return the kind of a word that is not a common function word, or of a punctuation mark."""
    if not shape[0].isalnum():
        return _PUNCTUATION.get(shape, "-")
    if shape[0].isdigit():
        return "#"
    if shape[0].isupper():
        return "C"
    word = shape.casefold()
    return next(
        (f"~{end}" for end in _ENDINGS if word.endswith(end) and len(word) > len(end) + 2), NEUTRAL
    )


@cache
def frequencies() -> Frequencies:
    """Return the table that is shipped."""
    table = json.loads(FREQUENCIES_FILE.read_text(encoding="utf-8"))
    counts = {stem: int(count) for count, stems in table["stems"].items() for stem in stems.split()}
    return Frequencies(table["topics"], counts)


@cache
def word_order() -> WordOrder:
    """Return the table that is shipped."""
    table = json.loads(TRANSITIONS_FILE.read_text(encoding="utf-8"))
    rows = [[int(bond) for bond in row.split()] for row in table["bonds"]]
    return WordOrder(table["kinds"], np.array(rows) / 10.0)
