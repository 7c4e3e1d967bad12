"""From features to labels: a model predicts levels, and levels are labels of a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.evaluation.labelling.comparing.ordinal import Features, LevelModel
    from sidelight.schemas.grading.label_scale import LabelScale


class LevelLabels:
    """Labels rows of features.

    Args:
        model: Predicts levels, 0 being the lowest of the scale.
        scale: The labels; one that opposes has no level.
        min_confidence: Labels are withheld as unjudged where their credit is less likely than this,
            in [0, 1]: labels that earn the same count together, for no score depends on which it
            is.
    """

    def __init__(self, model: LevelModel, scale: LabelScale, min_confidence: float) -> None:
        self._model = model
        self._levels = scale.levels
        credit = np.array([scale.credit(name) for name in scale.levels])
        self._earns_the_same = credit[:, None] == credit[None, :]
        self._min_confidence = min_confidence

    def of(self, features: Features) -> list[str | Unjudged]:
        """Return the label of each row of `(n, n_features)`."""
        levels, probabilities = self._model.predict(features), self._model.probabilities(features)
        confidence = (probabilities * self._earns_the_same[levels]).sum(axis=1)
        return [
            self._levels[level]
            if likely >= self._min_confidence
            else Unjudged(
                reason=f"confidence in the credit {likely:.2f}, below {self._min_confidence:g}"
            )
            for level, likely in zip(levels, confidence, strict=True)
        ]


def described(names: Sequence[str], values: Iterable[float]) -> str:
    """Return features for people, each with its name."""
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(names, values, strict=True))
