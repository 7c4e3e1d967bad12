"""How much the people of some examples ask for, against those that the model learned from.

The weights of the model stay as they are; two numbers are learned, one for each level above the
lowest, which are added to its logits. Few examples move them little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.labelling.comparing.ordinal import UNFITTED
from sidelight.learned.ordinal_model import levels_within

if TYPE_CHECKING:
    import numpy.typing as npt

    from sidelight.evaluation.labelling.comparing.ordinal import Features, Levels
    from sidelight.learned.models import Looked

_SPREAD = 1.0  # of shifts to be expected, as the standard deviation of a normal distribution
_STEPS = 50


class ShiftedLevels:
    """The levels of `AnswerModel`, its logits moved.

    A row of its features has the logits of levels 1 and 2, then the highest level there can be.

    Args:
        shift: What is added to the logits of levels 1 and 2.
    """

    def __init__(self, shift: tuple[float, float] = (0.0, 0.0)) -> None:
        self.shift = shift

    @classmethod
    def fit(cls, features: Features, levels: Levels) -> ShiftedLevels:
        """Return the likeliest shift, a small one being expected.

        Rows that rules decide, and those of the level `UNFITTED`, teach nothing.
        """
        open_rows = (levels != UNFITTED) & (features[:, 2] > 0)
        logits, reached = features[open_rows, :2], levels[open_rows]
        return cls((_shift(logits[:, 0], reached >= 1), _shift(logits[:, 1], reached >= 2)))

    def predict(self, features: Features) -> Levels:
        """Return the level of each row of `(n, 3)`."""
        return self._within(features)[0]

    def probabilities(self, features: Features) -> npt.NDArray[np.float64]:
        """Return how likely each level is, `(n, 3)`, in [0, 1]."""
        return self._within(features)[1]

    def _within(self, features: Features) -> tuple[Levels, npt.NDArray[np.float64]]:
        return levels_within(features[:, :2] + self.shift, features[:, 2].astype(np.int64))


def rows_of(looked: Looked) -> Features:
    """Return the features of each item, `(n, 3)`."""
    return np.column_stack([looked.logits, np.array(looked.most, dtype=np.float64)])


def _shift(logits: npt.NDArray[np.float64], reached: npt.NDArray[np.bool_]) -> float:
    """Return the maximum of a concave function by Newton's method, a unit at most in each step."""
    shift = 0.0
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(logits + shift, -60, 60)))
        slope = float((reached - likely).sum()) - shift / _SPREAD**2
        curve = float((likely * (1 - likely)).sum()) + 1 / _SPREAD**2
        shift += float(np.clip(slope / curve, -1, 1))
    return shift
