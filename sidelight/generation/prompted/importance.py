"""How important a question is, in the words and weights of the track's rubrics."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from sidelight.schemas.grading.label_scale import OneOf
from sidelight.tracks import load_track

_SCALE = load_track().scales["importance"]

Importance: TypeAlias = Annotated[str, OneOf(_SCALE.names)]
"""As prompts ask for it."""

weight_of = _SCALE.credit

WEIGHT_BY_VOTES = dict(enumerate(map(_SCALE.credit, _SCALE.levels), start=1))
"""Weight of what one assessor asks, what two ask, and so on; the most for all of them."""
