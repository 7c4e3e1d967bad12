"""Encoder protocol as its users see it, and caches of what many texts or ids are asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Encode: TypeAlias = "Callable[[Sequence[str]], npt.NDArray[np.float32]]"
"""Texts to L2-normalised vectors, `(n, dim) float32`; a dot product is a cosine."""


class WordVectors(NamedTuple):
    """The words of a text and what each means there.

    Attributes:
        words: In order, case-folded; punctuation marks and the parts of a figure are words, too.
        vectors: L2-normalised, `(n_words, dim) float32`.
    """

    words: tuple[str, ...]
    vectors: npt.NDArray[np.float32]


EncodeWords: TypeAlias = "Callable[[Sequence[str]], list[WordVectors]]"


class SentenceEncoder(NamedTuple):
    """A model that makes vectors of sentences and of their words.

    Attributes:
        name: The model, which becomes part of a judge's version.
        encode: Texts to L2-normalised vectors (n, dim) float32.
        encode_words: Texts to the vectors of their words.
    """

    name: str
    encode: Encode
    encode_words: EncodeWords


V = TypeVar("V")


class Remembered(Generic[V]):
    """Values by name, fetched many at once and remembered; usable from any thread.

    `fetch` returns the values of new names, in their order. At most `most` values (None: all) are
    remembered; those not asked for the longest are forgotten first.
    """

    def __init__(self, fetch: Callable[[Sequence[str]], Iterable[V]], most: int | None) -> None:
        self._fetch = fetch
        self._most = most
        self._known: OrderedDict[str, V] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, names: Sequence[str]) -> list[V]:
        """Return the value of each name, in the order asked for."""
        with self._lock:  # while fetching, too: callers side by side ask for the same
            new = [name for name in dict.fromkeys(names) if name not in self._known]
            if new:
                self._known.update(zip(new, self._fetch(new), strict=True))
            found = [self._known[name] for name in names]
            if self._most is not None:
                for name in names:
                    self._known.move_to_end(name)
                while len(self._known) > self._most:
                    self._known.popitem(last=False)
        return found


class TextVectors:
    """Encodes texts on demand and remembers them, so that nobody pays for one twice.

    It is itself an `Encode`, and usable from any thread.
    """

    def __init__(self, encode: Encode) -> None:
        self._rows: Remembered[npt.NDArray[np.float32]] = Remembered(encode, None)

    def remember(self, texts: Iterable[str]) -> None:
        """Encode the texts that are new; many at once fill whole batches."""
        self._rows(list(texts))

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return `(n, dim) float32` normalised vectors, one row per text; `(0, 0)` for no text."""
        import numpy as np

        return np.stack(self._rows(texts)) if texts else np.zeros((0, 0), dtype=np.float32)

    def cosines(self, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the `(len(left), len(right)) float32` cosines."""
        import numpy as np

        if not left or not right:
            return np.zeros((len(left), len(right)), dtype=np.float32)
        self.remember((*left, *right))
        cosines: npt.NDArray[np.float32] = self(left) @ self(right).T
        return cosines

    def similarity(self, left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the cosines as float64, rounded so that ties are ties on any machine."""
        import numpy as np

        return np.asarray(np.round(self.cosines(left, right).astype(np.float64), 4))
