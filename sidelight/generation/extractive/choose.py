"""Choose statements under a word budget: cover the angles, and stand for all that was found.

Two submodular sums are added. Each angle is covered with the chance that at least one chosen
statement speaks to it, as in `compose`. Each statement found is represented as well as the chosen
one that is most like it (Lin and Bilmes, 2011), which favours what many pages say and leaves out
what has been said. Statements are taken by gain per word to a power below one: a plain gain per
word fills a report with the shortest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sidelight.text import budget_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

REPRESENTATION = 1.0
LENGTH_POWER = 0.5
LIKE_FLOOR = 0.35
FRESH = 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to choose from, row by row.

    Attributes:
        words: Length of each statement.
        covers: Chance that each speaks to each angle, `(n, angles)`, in [0, 1].
        weights: Importance of each angle.
        worth: Importance of each statement itself.
        likeness: Cosines between statements, `(n, n)`.
        concepts: Which words each statement holds, `(n, vocabulary)`.
    """

    words: npt.NDArray[np.int64]
    covers: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    worth: npt.NDArray[np.float64]
    likeness: npt.NDArray[np.float64]
    concepts: npt.NDArray[np.bool_]


def words_of(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the words that each text uses of a budget."""
    return np.array([budget_words(text) for text in texts], dtype=np.int64)


def choose(
    found: Found,
    max_words: int,
    excludes: npt.NDArray[np.bool_],
    standing: Sequence[int] = (),
) -> list[int]:
    """Return the rows chosen, in the order they were chosen, never over `max_words`.

    Args:
        found: What there is.
        max_words: Budget.
        excludes: `(n, n)`, whether two rows cannot both be in a report.
        standing: Rows the report holds already; they use up words.
    """
    represents = np.clip((found.likeness - LIKE_FLOOR) / (1 - LIKE_FLOOR), 0.0, 1.0)
    share = found.worth / max(float(found.worth.sum()), 1e-9)
    angle_share = found.weights / max(float(found.weights.sum()), 1e-9)
    said = np.zeros(found.concepts.shape[1], dtype=bool)
    n_concepts = np.maximum(found.concepts.sum(axis=1), 1)
    missed = np.ones(len(found.weights))
    reached = np.zeros(len(found.words))
    allowed = np.ones(len(found.words), dtype=bool)
    left = max_words
    chosen: list[int] = []

    def take(row: int) -> None:
        nonlocal missed, reached, left, allowed, said
        missed = missed * (1.0 - found.covers[row])
        reached = np.maximum(reached, represents[row])
        said = said | found.concepts[row]
        left -= int(found.words[row])
        allowed &= ~excludes[row]
        allowed[row] = False

    for row in standing:
        take(row)
    while True:
        open_rows = np.flatnonzero(allowed & (found.words <= left))
        if not len(open_rows):
            return chosen
        covering = (found.covers[open_rows] * missed * angle_share).sum(axis=1)
        rising = np.maximum(represents[open_rows] - reached, 0.0) @ share
        fresh = (found.concepts[open_rows] & ~said).sum(axis=1) / n_concepts[open_rows]
        gains = fresh**FRESH * (covering + REPRESENTATION * rising) / found.words[open_rows] ** LENGTH_POWER
        best = int(np.argmax(np.round(gains, 9)))
        if gains[best] <= 0:
            return chosen
        row = int(open_rows[best])
        chosen.append(row)
        take(row)
