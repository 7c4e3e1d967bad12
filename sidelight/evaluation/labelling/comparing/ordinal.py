"""Ordered labels from features: calibrated on examples where there are enough of them.

A cumulative model: for each label but the lowest one logistic regression gives the probability of
that label or a higher one; the answer is the highest label that is more likely reached than not.
scikit-learn does the fitting: it is deterministic here, and well kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from sidelight.evaluation.agreement.coefficients.cohen_kappa import cohen_kappa
from sidelight.evaluation.agreement.coefficients.confusion import confusion_table
from sidelight.evaluation.labelling.judge import JudgeAgreement

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_EXAMPLES_PER_LEVEL = 10
"""With fewer on either side of a level, documented thresholds are the better guess."""

UNFITTED = -1
"""The level of an example that is predicted and compared, but never fitted on."""

Levels = npt.NDArray[np.int64]
Features = npt.NDArray[np.float64]


class LevelModel(Protocol):
    """Predicts levels, 0 being the lowest, from features."""

    def predict(self, features: Features) -> Levels:
        """Return the level of each row of `(n, n_features)`."""

    def confidence(self, features: Features) -> npt.NDArray[np.float64]:
        """Return how likely the predicted level of each row is, in [0, 1]."""


class Thresholds:
    """The level is how many thresholds one feature reaches.

    Thresholds give no probabilities; the confidence is 0.

    Args:
        column: Which feature counts.
        thresholds: Rising; one for each level above the lowest.
    """

    def __init__(self, column: int, thresholds: Sequence[float]) -> None:
        self._column = column
        self._thresholds = np.array(thresholds)

    def predict(self, features: Features) -> Levels:
        """Return the level of each row of `(n, n_features)`."""
        values = features[:, self._column]
        levels: Levels = np.searchsorted(self._thresholds, values, side="right")
        return levels

    def confidence(self, features: Features) -> npt.NDArray[np.float64]:
        """Return 0 for each row of `(n, n_features)`."""
        return np.zeros(len(features))


class OrdinalClassifier:
    """Predicts a level in 0..n_levels-1.

    Args:
        features: `(n, n_features)`, any scale.
        levels: `(n,)`; both sides of every level above the lowest must occur.
        n_levels: Number of levels.
    """

    def __init__(self, features: Features, levels: Levels, n_levels: int) -> None:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        self._steps: list[Any] = [
            make_pipeline(StandardScaler(), LogisticRegression(random_state=0)).fit(
                features, levels >= level
            )
            for level in range(1, n_levels)
        ]

    def predict(self, features: Features) -> Levels:
        """Return the level of each row of `(n, n_features)`."""
        likely: Levels = np.sum(self._reached(features)[1:-1] >= 0.5, axis=0)
        return likely

    def confidence(self, features: Features) -> npt.NDArray[np.float64]:
        """Return the probability that the level of each row is the predicted one."""
        reached, level = self._reached(features), self.predict(features)
        rows = np.arange(len(features))
        probability: npt.NDArray[np.float64] = reached[level, rows] - reached[level + 1, rows]
        return probability

    def _reached(self, features: Features) -> npt.NDArray[np.float64]:
        """Return how likely each level or a higher one is, `(n_levels + 1, n)`, from 1 to 0."""
        reached = np.ones((len(self._steps) + 2, len(features)))
        reached[-1] = 0
        for level, step in enumerate(self._steps, start=1):
            reached[level] = step.predict_proba(features)[:, 1]
        # A level cannot be more likely than the one below it.
        falling: npt.NDArray[np.float64] = np.minimum.accumulate(reached, axis=0)
        return falling


def fit_levels(
    features: Features, levels: Levels, n_levels: int, fallback: LevelModel
) -> LevelModel:
    """Return a classifier, or `fallback` when a level has too few examples on one side."""
    fitted = levels != UNFITTED
    features, levels = features[fitted], levels[fitted]
    counts = [
        min(int(np.sum(levels < level)), int(np.sum(levels >= level)))
        for level in range(1, n_levels)
    ]
    if min(counts) < MIN_EXAMPLES_PER_LEVEL:
        return fallback
    return OrdinalClassifier(features, levels, n_levels)


def predict_by_topic(
    features: Features,
    levels: Levels,
    topics: Sequence[str],
    n_levels: int,
    fallback: LevelModel,
) -> Levels:
    """Predict the examples of each topic with a model fitted on the other topics."""
    predicted = np.zeros_like(levels)
    groups = np.array(topics)
    for topic in sorted(set(topics)):
        held_out = groups == topic
        model = fit_levels(features[~held_out], levels[~held_out], n_levels, fallback)
        predicted[held_out] = model.predict(features[held_out])
    return predicted


def agreement(people: Sequence[str], judge: Sequence[str], topics: Sequence[str]) -> JudgeAgreement:
    """Return raw agreement and Cohen's kappa of two lists of labels."""
    return JudgeAgreement(
        n_labels=len(people),
        n_topics=len(set(topics)),
        raw=float(np.mean([left == right for left, right in zip(people, judge, strict=True)])),
        kappa=cohen_kappa(confusion_table(people, judge, sorted({*people, *judge}))),
    )
