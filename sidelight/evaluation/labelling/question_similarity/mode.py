"""How many pairs of questions a prompted judge asks about at a time."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """How many pairs one call is asked about; `question_similarity` says what each means."""

    PAIRWISE = "pairwise"
    LISTWISE = "listwise"
    GRID = "grid"
