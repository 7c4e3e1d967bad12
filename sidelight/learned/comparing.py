"""Items held against texts: what is encoded, once for all, and what each pair looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.learned.features import Evidence, evidence
from sidelight.learned.reading.text_pieces import read_text
from sidelight.learned.reading.words import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from sidelight.learned.reading.text_pieces import Reading

    Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]


class Task(NamedTuple):
    """Items that are looked for in one text.

    Attributes:
        items: The items.
        text: The text.
        context: What was asked; empty if unknown.
        max_words: Words of the text that count; all if None.
    """

    items: tuple[str, ...]
    text: str
    context: str = ""
    max_words: int | None = None

    @property
    def reading(self) -> Reading:
        """The text, read."""
        return read_text(self.text, self.max_words)


class Found(NamedTuple):
    """A text and what it holds for each item.

    Attributes:
        reading: The text.
        evidence: For each item.
    """

    reading: Reading
    evidence: list[Evidence]


class Comparer:
    """Compares items with texts and remembers the vectors of what it has encoded.

    Args:
        encode: Texts to L2-normalised vectors `(n, dim) float32`; None compares words only.
    """

    def __init__(self, encode: Encode | None) -> None:
        self._encode = encode
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    def prepare(self, tasks: Iterable[Task]) -> None:
        """Encode all that some tasks need at once, which is quicker than one by one."""
        if self._encode is None:
            return
        wanted: dict[str, None] = {}
        for task in tasks:
            wanted.update(dict.fromkeys(read(item).text for item in task.items))
            wanted.update(dict.fromkeys(task.reading.texts))
            wanted[read(task.context).text] = None
        new = [text for text in wanted if text and text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._encode(new), strict=True))

    def compare(self, task: Task) -> Found:
        """Return what a text holds for each item."""
        reading = task.reading
        items, context = [read(item) for item in task.items], read(task.context)
        if self._encode is None or not items:
            return Found(reading, evidence(items, context, reading, None, None))
        self.prepare([task])
        vectors = self._stacked([item.text for item in items])
        cosines = vectors @ self._stacked(reading.texts).T
        asked = vectors @ self._stacked([context.text])[0] if context.text else None
        return Found(reading, evidence(items, context, reading, cosines, asked))

    def _stacked(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return vectors `(n_texts, dim)`; an empty text has zeros."""
        dimension = next((len(vector) for vector in self._vectors.values()), 0)
        stacked = np.zeros((len(texts), dimension))
        for row, text in enumerate(texts):
            if text in self._vectors:
                stacked[row] = self._vectors[text]
        return stacked
