"""Comparison of items with texts: texts are encoded once, and each pair gets its features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.learned.features import ItemFeatures, evidence
from sidelight.learned.reading.text_pieces import Reading, read_text
from sidelight.learned.reading.words import read
from sidelight.text_vectors import Encode, TextVectors


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
    """

    def __init__(self, encode: Encode | None) -> None:
        self._vectors = TextVectors(encode) if encode else None

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

    def compare(self, task: Task) -> ComparedText:
        """Return a text with the features of each item."""
        reading = task.reading
        items, context = [read(item) for item in task.items], read(task.context)
        cosines = asked = None
        if self._vectors is not None and items:
            self.prepare([task])
            texts = [item.text for item in items]
            cosines = _cosines(self._vectors, texts, reading.texts)
            asked = _cosines(self._vectors, texts, [context.text])[:, 0]
        found = evidence(items, context, reading, cosines, asked, is_source=task.is_source)
        return ComparedText(reading, found)


def _cosines(encode: Encode, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the cosines `(n_left, n_right)`; those of an empty text are 0."""
    cosines = np.zeros((len(left), len(right)))
    rows, columns = ([n for n, text in enumerate(texts) if text] for texts in (left, right))
    if rows and columns:
        ours, theirs = encode([left[row] for row in rows]), encode([right[one] for one in columns])
        cosines[np.ix_(rows, columns)] = ours.astype(np.float64) @ theirs.astype(np.float64).T
    return cosines
