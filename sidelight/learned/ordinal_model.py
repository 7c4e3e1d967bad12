"""Ordered labels from features by two logistic regressions, kept in a file that people can read."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sidelight.files import atomic_write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    import numpy.typing as npt

    Values: TypeAlias = npt.NDArray[np.float64]
    Levels: TypeAlias = npt.NDArray[np.int64]

WEIGHTS_FOLDER = Path(__file__).parent / "weights"
_DIGITS = 6
_HIGHEST = 2
_POOL = 10  # pairs; a pool as large as that is trusted by half


class OrdinalModel(NamedTuple):
    """The probability of each of three levels, 0 being the lowest.

    A cumulative model: one regression for level 1 or higher, one for level 2.

    Attributes:
        names: What each feature is called, `(n_features,)`.
        means: What is taken from each feature, `(n_features,)`.
        scales: What it is then divided by, `(n_features,)`.
        weights: `(2, n_features)`.
        intercepts: `(2,)`.
    """

    names: tuple[str, ...]
    means: Values
    scales: Values
    weights: Values
    intercepts: Values

    def probabilities(self, features: Values) -> Values:
        """Return how likely each level is, `(n, 3)`, of features `(n, n_features)`."""
        logits = ((features - self.means) / self.scales) @ self.weights.T + self.intercepts
        reached = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
        # The higher level cannot be more likely than the lower.
        highest = np.minimum(reached[:, 0], reached[:, 1])
        found: Values = np.stack([1 - reached[:, 0], reached[:, 0] - highest, highest], axis=1)
        return found


def centred(features: Values, pool: Values, model: OrdinalModel) -> Values:
    """Return features as they would be if their pool had the means the model was fitted with.

    Args:
        features: `(n, n_features)`.
        pool: `(n_pool, n_features)` of the same topic; the fewer, the less is changed.
        model: The model.
    """
    trust = len(pool) / (len(pool) + _POOL)
    found: Values = features + trust * (model.means - pool.mean(axis=0))
    return found


def likeliest(probabilities: Values) -> Levels:
    """Return the likeliest level of each row of `(n, 3)`; of equals the lowest."""
    levels: Levels = probabilities.argmax(axis=1)
    return levels


def allowed(most: Sequence[int], *, needs_figures: bool) -> list[int]:
    """Return the highest level there can be for each item.

    Args:
        most: `features.Evidence.most` of each.
        needs_figures: Whether a missing figure keeps an item from being said in full. It does in a
            report; a long sentence that is supported by its source often computes its own figures.
    """
    return [level if needs_figures or not level else _HIGHEST for level in most]


def as_file(model: OrdinalModel, about: Mapping[str, Any]) -> str:
    """Return a model as JSON, one feature a line, with what is to be known about it."""
    features = [
        {
            "name": name,
            "mean": round(float(model.means[i]), _DIGITS),
            "scale": round(float(model.scales[i]), _DIGITS),
            "level 1": round(float(model.weights[0, i]), _DIGITS),
            "level 2": round(float(model.weights[1, i]), _DIGITS),
        }
        for i, name in enumerate(model.names)
    ]
    intercepts = [round(float(value), _DIGITS) for value in model.intercepts]
    head = json.dumps(dict(about), indent=1, ensure_ascii=False)[:-2]
    rows = ",\n".join(f"  {json.dumps(feature)}" for feature in features)
    return f'{head},\n "intercepts": {intercepts},\n "features": [\n{rows}\n ]\n}}\n'


def save_model(name: str, model: OrdinalModel, about: Mapping[str, Any]) -> None:
    """Write a model into the package."""
    atomic_write(WEIGHTS_FOLDER / f"{name}.json", as_file(model, about))


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
    return _from_rows(file["features"], file["intercepts"])


def _from_rows(rows: Sequence[Mapping[str, Any]], intercepts: Sequence[float]) -> OrdinalModel:
    return OrdinalModel(
        names=tuple(row["name"] for row in rows),
        means=np.array([row["mean"] for row in rows]),
        scales=np.array([row["scale"] for row in rows]),
        weights=np.array([[row["level 1"] for row in rows], [row["level 2"] for row in rows]]),
        intercepts=np.array(intercepts),
    )
