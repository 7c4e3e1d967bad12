"""Weights of ordinal models, written as the readable files that the product ships."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight.files import atomic_write

if TYPE_CHECKING:
    from sidelight.learned.ordinal_model import GradeModel, OrdinalModel

_DIGITS = 6


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


def save_model(folder: Path, name: str, model: OrdinalModel, about: Mapping[str, Any]) -> None:
    """Write a model into a folder."""
    atomic_write(folder / f"{name}.json", as_file(model, about))


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
