"""Comparison of items with texts: texts are encoded once, and each pair gets its features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.learned.features import Alignment, ItemFeatures, evidence
from sidelight.learned.reading.framing import Framing
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.text_pieces import Reading, read_text
from sidelight.learned.reading.words import read, stem
from sidelight.text_vectors import (
    Encode,
    EncodeWords,
    Remembered,
    SentenceEncoder,
    TextVectors,
    WordVectors,
)

_REMEMBERED = 2_000  # texts whose words are kept: some 40 KB each


class Task(NamedTuple):
    """Items that are looked for in one text.

    Attributes:
        context: What was asked; empty if unknown.
        max_words: Words of the text that count; all if None.
        is_source: Whether the text is a source and no report: a sentence that reports others, asks
            or lists counts for items of which it has some words, as it does for people.
    """

    items: tuple[str, ...]
    text: str
    context: str = ""
    max_words: int | None = None
    is_source: bool = False

    @property
    def reading(self) -> Reading:
        """The text, read."""
        return read_text(self.text, self.max_words)


class ComparedText(NamedTuple):
    """A text and what it holds for each item."""

    reading: Reading
    evidence: list[ItemFeatures]


class Comparer:
    """Compares items with texts and remembers the vectors of what it has encoded.

    Args:
        encode: Texts to L2-normalised vectors `(n, dim) float32`; None compares words only.
        encode_words: Texts to the vectors of their words; None leaves the features of these 0.
        is_framed: Whether a model says what takes an item back; see `framing`.
    """

    def __init__(
        self,
        encode: Encode | None,
        encode_words: EncodeWords | None = None,
        *,
        is_framed: bool = False,
    ) -> None:
        self._vectors = TextVectors(encode) if encode else None
        self._words: Remembered[WordVectors] | None = (
            Remembered(encode_words, _REMEMBERED) if encode_words else None
        )
        self.framing = Framing(self._vectors) if is_framed else None

    @classmethod
    def of_answers(cls, encoder: SentenceEncoder | None) -> Comparer:
        """Return what answers and sources are compared by; without an encoder, by words only."""
        if encoder is None:
            return cls(None, is_framed=True)
        return cls(encoder.encode, encoder.encode_words, is_framed=True)

    def prepare(self, tasks: Iterable[Task]) -> None:
        """Encode all that some tasks need at once, which is quicker than one by one."""
        if self._vectors is None:
            return
        wanted: dict[str, None] = {}
        for task in tasks:
            wanted.update(dict.fromkeys(read(item).text for item in task.items))
            wanted.update(dict.fromkeys(task.reading.texts))
            wanted[read(task.context).text] = None
        self._vectors.remember(text for text in wanted if text)
        if self._words is not None:
            self._words([*wanted][:_REMEMBERED])

    def compare(self, task: Task) -> ComparedText:
        """Return a text with the features of each item."""
        reading = task.reading
        items, context = [read(item) for item in task.items], read(task.context)
        cosines = asked = aligned = None
        if self._vectors is not None and items:
            self.prepare([task])
            texts = [item.text for item in items]
            cosines = _cosines(self._vectors, texts, reading.texts)
            asked = _cosines(self._vectors, texts, [context.text])[:, 0]
        if self._words is not None:
            said = self._words([reading.sentences[place].text for place in reading.asserted])
            aligned = [_alignment(item, said) for item in self._words([one.text for one in items])]
        known = cosines, asked, aligned, self.framing
        found = evidence(items, context, reading, *known, is_source=task.is_source)
        return ComparedText(reading, found)


def _alignment(item: WordVectors, said: Sequence[WordVectors]) -> Alignment:
    """Return how near each word with content of an item comes to a word of each sentence."""
    stems = [stem(word) if word[0].isalnum() else "" for word in item.words]
    weights = np.array([frequencies().weight(one) if one else 0.0 for one in stems])
    vectors = item.vectors[weights > 0]
    near = np.zeros((len(said), len(vectors)))
    if len(vectors):
        for row, sentence in enumerate(said):
            if len(sentence.words):
                near[row] = (vectors @ sentence.vectors.T).max(axis=1)
    return Alignment(near, weights[weights > 0])


def _cosines(encode: Encode, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the cosines `(n_left, n_right)`; those of an empty text are 0."""
    cosines = np.zeros((len(left), len(right)))
    rows, columns = ([n for n, text in enumerate(texts) if text] for texts in (left, right))
    if rows and columns:
        ours, theirs = encode([left[row] for row in rows]), encode([right[one] for one in columns])
        cosines[np.ix_(rows, columns)] = ours.astype(np.float64) @ theirs.astype(np.float64).T
    return cosines
