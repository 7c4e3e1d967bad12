"""Ordinal models from features, stored in readable files: two logistic regressions, or one cut sum.

The first predicts three levels by two logistic regressions. The second predicts whole grades by one
weighted sum with a cut-off between each two grades.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = npt.NDArray[np.float64]
Levels: TypeAlias = npt.NDArray[np.int64]

WEIGHTS_FOLDER = Path(__file__).parent / "weights"


class OrdinalModel(NamedTuple):
    """The probability of each of three levels, 0 being the lowest.

    A cumulative model: one regression for level 1 or higher, one for level 2.

    Of features, `(n_features,)`, the `means` are subtracted; the rest is divided by the `scales`.
    `weights` are `(2, n_features)`, `intercepts` `(2,)`.
    """

    names: tuple[str, ...]
    means: Values
    scales: Values
    weights: Values
    intercepts: Values

    def logits(self, features: Values) -> Values:
        """Return the logits of levels 1 and 2, `(n, 2)`, of features `(n, n_features)`."""
        found: Values = ((features - self.means) / self.scales) @ self.weights.T + self.intercepts
        return found


def levels_within(logits: Values, most: Sequence[int] | Levels) -> tuple[Levels, Values]:
    """Return levels `(n,)`, and how likely each level is, `(n, 3)`, where some cannot be.

    `logits` are those of levels 1 and 2, `(n, 2)`, `most` the highest possible levels, `(n,)`; the
    probability of higher levels is added to that of the highest possible one.
    """
    reached = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    # The higher level cannot be more likely than the lower.
    last = np.minimum(reached[:, 0], reached[:, 1])
    probabilities: Values = np.stack([1 - reached[:, 0], reached[:, 0] - last, last], axis=1)
    highest = np.asarray(most, dtype=np.int64)
    levels: Levels = np.minimum(highest, probabilities.argmax(axis=1))
    for row, level in enumerate(highest):
        probabilities[row, level] = probabilities[row, level:].sum()
        probabilities[row, level + 1 :] = 0
    return levels, probabilities


def allowed(most: Sequence[int], *, needs_figures: bool) -> list[int]:
    """Return the highest level there can be for each item, of its `features.ItemFeatures.most`.

    A missing figure may keep an item from being said in full. It does in a report; a long sentence
    that is supported by its source often computes its own figures.
    """
    return [level if needs_figures or not level else 2 for level in most]


@cache
def about_model(name: str) -> dict[str, Any]:
    """Return all that the file of a shipped model says: provenance, figures, weights."""
    found: dict[str, Any] = json.loads(
        (WEIGHTS_FOLDER / f"{name}.json").read_text(encoding="utf-8")
    )
    return found


@cache
def weights_hash(name: str) -> str:
    """Return a short hash of a shipped model's file."""
    return hashlib.sha256((WEIGHTS_FOLDER / f"{name}.json").read_bytes()).hexdigest()[:8]


@cache
def load_model(name: str) -> OrdinalModel:
    """Load a shipped model by its name, such as `answers`."""
    file = about_model(name)
    rows = file["features"]
    return OrdinalModel(
        names=tuple(row["name"] for row in rows),
        means=np.array([row["mean"] for row in rows]),
        scales=np.array([row["scale"] for row in rows]),
        weights=np.array([[row["level 1"] for row in rows], [row["level 2"] for row in rows]]),
        intercepts=np.array(file["intercepts"]),
    )


class GradeModel(NamedTuple):
    """A score for each row of features; grades 1, 2, ... begin at `cuts`. See `OrdinalModel`."""

    names: tuple[str, ...]
    means: Values
    scales: Values
    weights: Values
    intercept: float
    cuts: tuple[float, ...]

    def scores(self, features: Values) -> Values:
        """Return the scores `(n,)` of features `(n, n_features)`."""
        found: Values = ((features - self.means) / self.scales) @ self.weights + self.intercept
        return found


def grades_of(scores: npt.NDArray[np.floating[Any]], cuts: tuple[float, ...]) -> Levels:
    """Return how many cuts each score reaches: its grade."""
    found: Levels = np.searchsorted(np.array(cuts), scores, side="right")
    return found


def load_grade_model(name: str) -> GradeModel:
    """Load a shipped model by its name, such as `relevance`."""
    file = about_model(name)
    rows = file["features"]
    return GradeModel(
        names=tuple(row["name"] for row in rows),
        means=np.array([row["mean"] for row in rows]),
        scales=np.array([row["scale"] for row in rows]),
        weights=np.array([row["weight"] for row in rows]),
        intercept=float(file["intercept"]),
        cuts=tuple(file["cuts"]),
    )
