"""Listwise ranking of search results by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.generation.prompted.findings import KeyedSegments
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.segment import Segment

RANK_PROMPT = load_prompt(Path(__file__).with_name("rank.prompt.md"))

_RANKER_SEGMENT_WORDS = 180


class RankedKeys(Value):
    """The keys of all segments, the most useful first."""

    keys: tuple[str, ...] = Field(min_length=1)


class PromptedRanker:
    """Orders segments by how well they answer a query.

    Args:
        model: Who compares.
    """

    def __init__(self, model: PromptedModel) -> None:
        self._model = model

    async def __call__(self, query: str, segments: Sequence[Segment]) -> tuple[int, ...]:
        """Return the segments' places, best first; as they are without a usable answer."""
        keyed = KeyedSegments(segments, _RANKER_SEGMENT_WORDS)
        places = {shown.key: place for place, shown in enumerate(keyed.shown)}

        def complete(answer: RankedKeys) -> None:
            if sorted(answer.keys) != sorted(places):
                raise ValueError(f"expected each of {', '.join(places)} once")

        try:
            answer = await self._model.answer(
                RANK_PROMPT, RankedKeys, check=complete, query=query, segments=keyed.shown
            )
        except ReplyError:
            return tuple(range(len(segments)))
        return tuple(places[key] for key in answer.keys)
