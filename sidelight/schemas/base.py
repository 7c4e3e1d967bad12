"""What values share: they are frozen, refuse fields they do not know, and name files inside."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _inside(name: str) -> str:
    parts = name.split("/")
    if not name.isprintable() or {"", ".", ".."} & set(parts) or "\\" in name:
        raise ValueError("expected the plain name of a file in the folder, as a/b.json")
    return name


FileName = Annotated[str, AfterValidator(_inside)]
"""Leads to a place in the folder that it is joined to, and nowhere else."""
