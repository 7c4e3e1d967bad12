"""Base class of immutable values without NaN or infinity, and names that are safe as file names."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

# The longest name of a topic is 255 bytes, and nothing lies deeper than a topic's files.
_MAX_NAME, _MAX_PARTS = 1000, 20


class Value(BaseModel):
    """A frozen value without unknown fields, whose numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _inside(name: str) -> str:
    parts = name.split("/")
    if not name.isprintable() or {"", ".", ".."} & set(parts) or "\\" in name:
        raise ValueError("expected the plain name of a file in the folder, as a/b.json")
    if len(parts) > _MAX_PARTS:
        raise ValueError(f"expected a name of at most {_MAX_PARTS} parts; found {len(parts)}")
    return name


FileName = Annotated[str, Field(max_length=_MAX_NAME), AfterValidator(_inside)]
"""Leads to a place in the folder that it is joined to, and nowhere else."""
