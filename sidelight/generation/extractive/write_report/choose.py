"""Choice of statements under a word budget: coverage of the angles plus representativeness.

Two submodular sums are added. Each angle is covered with the chance that at least one chosen
statement answers it, as in `compose`. Each statement found is represented as well as the chosen
one that is most similar to it (Lin and Bilmes, 2011), which favours what many pages say. A small
term adds each statement's own worth. Words that were already used count for nothing, so that one
fact is not repeated. Statements are chosen greedily by gain per word to a power below one: plain
gain per word would fill a report with the shortest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_LENGTH_POWER = 0.75
_COVERING, _OF_ITSELF = 0.3, 0.05
_NOT_ALIKE = 0.3  # the cosine up to which one statement stands for nothing of another


@dataclass(frozen=True, slots=True)
class Choices:
    """Candidates of the choice; row by row the fields belong together.

    Attributes:
        words: Length of each statement.
        covers: Chance that each speaks to each angle, `(n, angles)`, in [0, 1].
        weights: Importance of each angle.
        worth: Importance of each statement itself.
        likeness: Cosines between statements, `(n, n)`.
        concepts: Which words each statement holds, `(n, vocabulary)`.
        excludes: Whether two statements cannot both be in a report, `(n, n)`.
    """

    words: npt.NDArray[np.int64]
    covers: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    worth: npt.NDArray[np.float64]
    likeness: npt.NDArray[np.float64]
    concepts: npt.NDArray[np.bool_]
    excludes: npt.NDArray[np.bool_]


def choose(
    choices: Choices, max_words: int, *, standing: Sequence[int] = (), barred: Sequence[int] = ()
) -> list[int]:
    """Return the rows chosen, in the order they were chosen, never over `max_words`.

    Args:
        choices: What there is.
        max_words: Budget.
        standing: Rows the report holds already; they use up words and say what they say.
        barred: Rows that may not be chosen.
    """
    growing = _Growing(choices, max_words, barred)
    for row in standing:
        growing.take(row)
    chosen: list[int] = []
    while (best := growing.best()) is not None:
        growing.take(best)
        chosen.append(best)
    return chosen


class _Growing:
    """A report while it grows."""

    def __init__(self, choices: Choices, max_words: int, barred: Sequence[int]) -> None:
        self._of = choices
        self._represents = np.clip((choices.likeness - _NOT_ALIKE) / (1 - _NOT_ALIKE), 0.0, 1.0)
        self._share = choices.worth / max(float(choices.worth.sum()), 1e-9)
        self._own = _OF_ITSELF * choices.worth / max(float(choices.worth.max(initial=0.0)), 1e-9)
        self._weights = choices.weights / max(float(choices.weights.sum()), 1e-9)
        self._n_concepts = np.maximum(choices.concepts.sum(axis=1), 1)
        self._missed = np.ones(len(choices.weights))
        self._represented = np.zeros(len(choices.words))
        self._said = np.zeros(choices.concepts.shape[1], dtype=bool)
        self._open = np.ones(len(choices.words), dtype=bool)
        self._open[list(barred)] = False
        self._left = max_words

    def take(self, row: int) -> None:
        """Add a statement to the choice."""
        self._missed = self._missed * (1.0 - self._of.covers[row])
        self._represented = np.maximum(self._represented, self._represents[row])
        self._said = self._said | self._of.concepts[row]
        self._open &= ~self._of.excludes[row]
        self._open[row] = False
        self._left -= int(self._of.words[row])

    def best(self) -> int | None:
        """Return the statement that adds most, or None where none fits or adds anything."""
        rows = np.flatnonzero(self._open & (self._of.words <= self._left))
        if not len(rows):
            return None
        covering = (self._of.covers[rows] * self._missed * self._weights).sum(axis=1)
        rising = np.maximum(self._represents[rows] - self._represented, 0.0) @ self._share
        fresh = (self._of.concepts[rows] & ~self._said).sum(axis=1) / self._n_concepts[rows]
        gains = (
            fresh
            * (_COVERING * covering + rising + self._own[rows])
            / self._of.words[rows] ** _LENGTH_POWER
        )
        gains = np.round(gains, 9)  # ties are ties on any machine, and go to the earlier row
        best = int(np.argmax(gains))
        return int(rows[best]) if gains[best] > 0 else None
