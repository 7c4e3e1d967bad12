"""Document search with a model: wording of searches, ranking of results, usefulness ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sidelight.checks.usefulness import USEFULNESS_PROMPT, DocumentRater, PromptedUsefulness
from sidelight.errors import ReplyError
from sidelight.generation.extractive.expand_question import (
    ExtractiveExpander,
    carrying,
    lacking_entities,
)
from sidelight.generation.prompted.findings import KeyedSegments
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.llm.structured import IdOf
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.segment import Segment
from sidelight.text import one_line

EXPAND_PROMPT = load_prompt(Path(__file__).with_name("expand_question.prompt.md"))

_MOST_CHARACTERS = 300


class Searches(Value):
    """Searches, the most promising first."""

    queries: tuple[Annotated[str, Field(max_length=_MOST_CHARACTERS)], ...] = Field(max_length=40)


@dataclass(frozen=True)
class PromptedExpander:
    """Searches as a model words them; what it leaves open, or gets wrong, is made without it.

    Source: TREC 2024 Lateral Reading track overview, section 2.3.2.
    """

    asks = (Asked(EXPAND_PROMPT, calls=10, characters=150, written=200),)

    writer: PromptedModel
    queries_per_question: int
    instead: Callable[[ReplyError], object]

    async def __call__(self, profile: ArticleProfile, question: str) -> tuple[str, ...]:
        """Return as many different searches as are wanted, if so many can be made."""
        try:
            answer = await self.writer.answer(
                EXPAND_PROMPT,
                Searches,
                profile=profile,
                question=question,
                count=self.queries_per_question,
            )
            worded = [text for text in map(one_line, answer.queries) if text]
        except ReplyError as error:
            self.instead(error)
            worded = []
        more = await ExtractiveExpander(self.queries_per_question)(profile, question)
        lacking = lacking_entities(profile, question)
        return carrying((*worded, *more), lacking, self.queries_per_question)


RANK_PROMPT = load_prompt(Path(__file__).with_name("rank.prompt.md"))

_RANKER_SEGMENT_WORDS = 180


class RankedKeys(Value):
    """The keys of all segments, the most useful first."""

    keys: tuple[Annotated[str, IdOf("keys")], ...] = Field(min_length=1)


class PromptedRanker:
    """Orders segments by how well they answer a query."""

    def __init__(self, model: PromptedModel, instead: Callable[[ReplyError], object]) -> None:
        self._model = model
        self._instead = instead

    async def __call__(self, query: str, segments: Sequence[Segment]) -> tuple[int, ...]:
        """Return the segments' places, best first; as they are without a usable answer."""
        keyed = KeyedSegments(segments, _RANKER_SEGMENT_WORDS)
        places = {shown.key: place for place, shown in enumerate(keyed.shown)}

        def complete(answer: RankedKeys) -> None:
            if sorted(answer.keys) != sorted(places):
                raise ValueError(f"expected each of {', '.join(places)} once")

        try:
            answer = await self._model.answer(
                RANK_PROMPT,
                RankedKeys,
                check=complete,
                ids={"keys": places},
                query=query,
                segments=keyed.shown,
            )
        except ReplyError as error:
            self._instead(error)
            return tuple(range(len(segments)))
        return tuple(places[key] for key in answer.keys)


class PromptedRater(DocumentRater):
    """By a model that sees ten documents at once."""

    # For each question, thirty documents of each of ten searches, of which half are different.
    asks = (Asked(USEFULNESS_PROMPT, calls=150, characters=14_000, written=400, model="checker"),)

    def __init__(self, checker: PromptedModel) -> None:
        super().__init__(PromptedUsefulness(checker))
