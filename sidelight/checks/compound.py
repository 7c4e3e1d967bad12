"""What a model is asked to tell whether a question asks more than one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value

COMPOUND_PROMPT = load_prompt(Path(__file__).with_name("compound.prompt.md"))


class CompoundVerdict(Value):
    """A model's reading of a question, its reason first."""

    reason: str
    verdict: Literal["compound", "single"]
