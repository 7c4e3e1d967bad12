"""The sentences of segments, encoded once per topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.generation.roles import Encode


class SentenceIndex:
    """Encodes texts on demand and remembers them, so that no role pays for one twice.

    Args:
        encode: Texts to normalised vectors.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    def remember(self, texts: Sequence[str]) -> None:
        """Encode those of the texts that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encode(new), strict=True))

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return `(n, dim)` normalised vectors, one row per text."""
        self.remember(texts)
        return np.stack([self._known[text] for text in texts])

    def similarity(self, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the `(len(left), len(right))` cosines, rounded so that ties are ties anywhere."""
        if not left or not right:
            return np.zeros((len(left), len(right)), dtype=np.float64)
        product = np.asarray(self.vectors(left) @ self.vectors(right).T, dtype=np.float64)
        return np.asarray(np.round(product, 4))
