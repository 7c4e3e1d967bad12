"""Encoder protocol as its users see it, and a cache of text vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Encode: TypeAlias = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Texts to L2-normalised vectors, `(n, dim) float32`; a dot product is a cosine."""


class TextVectors:
    """Encodes texts on demand and remembers them, so that nobody pays for one twice.

    It is itself an `Encode`, and usable from any thread.

    Args:
        encode: Encodes texts that are new, those of a call at once.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[str, npt.NDArray[np.float32]] = {}
        self._lock = threading.Lock()

    def remember(self, texts: Iterable[str]) -> None:
        """Encode the texts that are new; many at once fill whole batches."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._known]
            if new:
                self._known.update(zip(new, self._encode(new), strict=True))

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return `(n, dim) float32` normalised vectors, one row per text; `(0, 0)` for no text."""
        self.remember(texts)
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])

    def cosines(self, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the `(len(left), len(right)) float32` cosines."""
        if not left or not right:
            return np.zeros((len(left), len(right)), dtype=np.float32)
        self.remember((*left, *right))
        cosines: npt.NDArray[np.float32] = self(left) @ self(right).T
        return cosines

    def similarity(self, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the cosines as float64, rounded so that ties are ties on any machine."""
        return np.asarray(np.round(self.cosines(left, right).astype(np.float64), 4))
