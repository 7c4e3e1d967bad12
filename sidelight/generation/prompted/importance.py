"""How important a question is, in the words and weights of the track's rubrics."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from sidelight.schemas.grading.label_scale import OneOf
from sidelight.tracks import load_track

_SCALE = load_track().scales["importance"]

Importance: TypeAlias = Annotated[str, OneOf(_SCALE.names)]
"""As prompts ask for it."""

weight_of = _SCALE.credit


def importance_of(weight: float) -> str:
    """Return the label whose weight comes nearest."""
    return min(_SCALE.names, key=lambda name: abs(_SCALE.credit(name) - weight))
