"""How directly a text answers a question, in the labels that prompts offer."""

from __future__ import annotations

from typing import Literal

Directness = Literal["full", "partial", "background"]

CHANCE: dict[Directness, float] = {"full": 0.9, "partial": 0.5, "background": 0.2}
"""The chance that an assessor holds the question for answered by it."""
