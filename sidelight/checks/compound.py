"""Whether a question asks more than one thing, by a model's reading of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from sidelight.llm.prompted import PromptedModel

COMPOUND_PROMPT = load_prompt(Path(__file__).with_name("compound.prompt.md"))


class CompoundVerdict(Value):
    """A model's reading of a question, its reason first."""

    reason: str
    verdict: Literal["compound", "single"]


class CompoundCheck(Protocol):
    """Tells whether a question asks more than one thing."""

    async def __call__(self, question: str) -> str | None:
        """Return why a question is compound, or None when it asks one thing."""
        ...


class PromptedCompoundCheck:
    """Asks a model.

    Args:
        model: Who is asked.
    """

    def __init__(self, model: PromptedModel) -> None:
        self._model = model

    async def __call__(self, question: str) -> str | None:
        """Return why a question is compound, or None when it asks one thing.

        Raises:
            ReplyError: The model gave no usable answer.
        """
        answer = await self._model.answer(COMPOUND_PROMPT, CompoundVerdict, question=question)
        return answer.reason if answer.verdict == "compound" else None
