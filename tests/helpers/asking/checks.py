"""A scripted model behind the checks, and a look at what it was asked."""

from __future__ import annotations

import json

from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.llm.scripted import Line, ScriptedModel


def says(**fields: str) -> str:
    return json.dumps(fields)


def scripted(*replies: Line) -> tuple[ScriptedModel, PromptedModel]:
    model = ScriptedModel(replies)
    return model, PromptedModel(model, Sampling(), lambda _: None)


def fences(text: str) -> list[str]:
    """The lines that a model takes for our marks."""
    return [line for line in text.splitlines() if "<<<" in line or ">>>" in line]
