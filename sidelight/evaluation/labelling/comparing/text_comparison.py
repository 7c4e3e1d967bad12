"""How much two texts have in common: words, figures, names and, with an encoder, meaning.

What is compared is never taken for instructions: a text counts by its words alone, after marks
that cannot be seen have been removed.
"""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.text_vectors import TextVectors
from sidelight.wording import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.text_vectors import Encode


class SentenceEncoder(NamedTuple):
    """A model that makes vectors of sentences.

    Attributes:
        name: The model, which becomes part of a judge's version.
        encode: Texts to L2-normalised vectors (n, dim) float32.
    """

    name: str
    encode: Encode


class TextComparison:
    """Compares texts, with word weights learned once from texts that no run can influence.

    Args:
        reference_texts: Questions and answers of the rubrics; a word's weight is its inverse
            document frequency among them, log((n + 1) / (df + 0.5)).
        encode: Texts to L2-normalised vectors (n, dim) float32; None compares words only.
    """

    def __init__(self, reference_texts: Iterable[str], encode: Encode | None = None) -> None:
        texts = list(dict.fromkeys(reference_texts))
        frequencies = Counter(stem for text in texts for stem in stems(text))
        self._weights = {
            stem: log((len(texts) + 1) / (count + 0.5)) for stem, count in frequencies.items()
        }
        self._unseen_weight = log((len(texts) + 1) / 0.5)
        self._needed: dict[str, list[tuple[str, float]]] = {}
        self._vectors = None if encode is None else TextVectors(encode)

    def overlap(self, wanted: str, text: str) -> float:
        """Return the weighted share of the words of `wanted` that occur in `text`, in [0, 1]."""
        if wanted not in self._needed:
            self._needed[wanted] = [(stem, self._weight(stem)) for stem in sorted(stems(wanted))]
        needed, given = self._needed[wanted], stems(text)
        total = sum(weight for _, weight in needed)
        found = sum(weight for stem, weight in needed if stem in given)
        return found / total if total else 0.0

    def prepare(self, texts: Iterable[str]) -> None:
        """Encode texts that will be compared; many at once fill whole batches."""
        if self._vectors is not None:
            self._vectors.remember(texts)

    def cosines(self, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return all cosines, `(len(left), len(right)) float32`; zeros without an encoder."""
        if self._vectors is None:
            return np.zeros((len(left), len(right)), dtype=np.float32)
        return self._vectors.cosines(left, right)

    def _weight(self, stem: str) -> float:
        return self._weights.get(stem, self._unseen_weight)
