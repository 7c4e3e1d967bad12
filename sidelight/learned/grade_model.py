"""Whole grades from features: one weighted sum, cut where grades change, in a readable file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sidelight.files import atomic_write
from sidelight.learned.ordinal_model import about_model

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

    from sidelight.learned.ordinal_model import Levels, Values

_DIGITS = 6


class GradeModel(NamedTuple):
    """A score for each row of features, and a grade for each score.

    Attributes:
        names: What each feature is called, `(n_features,)`.
        means: What is taken from each feature, `(n_features,)`.
        scales: What it is then divided by, `(n_features,)`.
        weights: `(n_features,)`.
        intercept: Added to the sum.
        cuts: From which score there is grade 1, 2 and so on; ascending.
    """

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

    def grades(self, scores: Values) -> Levels:
        """Return the grade of each score; see `grades_of`."""
        return grades_of(scores, self.cuts)


def grades_of(scores: npt.NDArray[np.floating[Any]], cuts: tuple[float, ...]) -> Levels:
    """Return how many cuts each score reaches: its grade."""
    found: Levels = np.searchsorted(np.array(cuts), scores, side="right")
    return found


def save_grade_model(folder: Path, name: str, model: GradeModel, about: Mapping[str, Any]) -> None:
    """Write a model into a folder as JSON, one feature a line, with what is to be known of it."""
    features = [
        {
            "name": feature,
            "mean": round(float(model.means[place]), _DIGITS),
            "scale": round(float(model.scales[place]), _DIGITS),
            "weight": round(float(model.weights[place]), _DIGITS),
        }
        for place, feature in enumerate(model.names)
    ]
    head = json.dumps(dict(about), indent=1, ensure_ascii=False)[:-2]
    rows = ",\n".join(f"  {json.dumps(feature)}" for feature in features)
    cuts = [round(cut, _DIGITS) for cut in model.cuts]
    text = (
        f'{head},\n "intercept": {round(model.intercept, _DIGITS)},\n "cuts": {cuts},\n'
        f' "features": [\n{rows}\n ]\n}}\n'
    )
    atomic_write(folder / f"{name}.json", text)


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
