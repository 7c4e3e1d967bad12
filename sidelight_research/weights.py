"""Weights of ordinal models, written as the readable files that the product ships."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight.files import atomic_write

if TYPE_CHECKING:
    from sidelight.learned.ordinal_model import GradeModel, OrdinalModel


def save_model(folder: Path, name: str, model: OrdinalModel, about: Mapping[str, Any]) -> None:
    """Write a model into a folder, with what is to be known about it."""
    columns = zip(model.means, model.scales, *model.weights, strict=True)
    keys = ("mean", "scale", "level 1", "level 2")
    rows = [dict(zip(keys, _rounded(row), strict=True)) for row in columns]
    _save(folder / f"{name}.json", about, {"intercepts": _rounded(model.intercepts)}, model, rows)


def save_grade_model(folder: Path, name: str, model: GradeModel, about: Mapping[str, Any]) -> None:
    """Write a model into a folder, with what is to be known about it."""
    columns = zip(model.means, model.scales, model.weights, strict=True)
    rows = [dict(zip(("mean", "scale", "weight"), _rounded(row), strict=True)) for row in columns]
    head = {"intercept": _rounded([model.intercept])[0], "cuts": _rounded(model.cuts)}
    _save(folder / f"{name}.json", about, head, model, rows)


def _save(
    path: Path,
    about: Mapping[str, Any],
    head: Mapping[str, object],
    model: OrdinalModel | GradeModel,
    rows: Iterable[dict[str, float]],
) -> None:
    """Write JSON, one feature a line."""
    lines = [json.dumps(dict(about), indent=1, ensure_ascii=False)[:-2]]
    lines += [f' "{key}": {value}' for key, value in head.items()]
    features = (
        f"  {json.dumps({'name': name, **row})}"
        for name, row in zip(model.names, rows, strict=True)
    )
    lines.append(' "features": [\n' + ",\n".join(features))
    atomic_write(path, ",\n".join(lines) + "\n ]\n}\n")


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(float(value), 6) for value in values]
