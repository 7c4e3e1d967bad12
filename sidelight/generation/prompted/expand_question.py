"""Query expansion for a question by a model; queries that lack a name of the article get one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.generation.extractive.expand_question import (
    ExtractiveExpander,
    carrying,
    lacking_entities,
)
from sidelight.llm.prompted import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import ArticleProfile

EXPAND_PROMPT = load_prompt(Path(__file__).with_name("expand_question.prompt.md"))

_MOST_CHARACTERS = 300


class Searches(Value):
    """Searches, the most promising first."""

    queries: tuple[Annotated[str, Field(max_length=_MOST_CHARACTERS)], ...] = Field(max_length=40)


class PromptedExpander:
    """Searches as a model words them; what it leaves open, or gets wrong, is made without it.

    Source: TREC 2024 Lateral Reading track overview, section 2.3.2.

    Args:
        writer: Who words them.
        queries_per_question: How many.
    """

    asks = (Asked(EXPAND_PROMPT, calls=10, characters=150, written=200),)

    def __init__(self, writer: PromptedModel, queries_per_question: int) -> None:
        self._model = writer
        self._count = queries_per_question
        self._plain = ExtractiveExpander(queries_per_question)

    async def __call__(self, profile: ArticleProfile, question: str) -> tuple[str, ...]:
        """Return as many different searches as are wanted, if so many can be made."""
        try:
            answer = await self._model.answer(
                EXPAND_PROMPT, Searches, profile=profile, question=question, count=self._count
            )
            worded = [text for text in map(one_line, answer.queries) if text]
        except ReplyError:
            worded = []
        more = await self._plain(profile, question)
        lacking = lacking_entities(profile, question)
        return carrying((*worded, *more), lacking, self._count)
