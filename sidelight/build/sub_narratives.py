"""Narratives with what they come down to, as a model splits them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sidelight.build.models import ask, models_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sidelight.build.models import ModelAccess
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.topic import Narrative


def split_narratives(
    narratives: Sequence[Narrative],
    models: Sequence[str],
    access: ModelAccess,
    at_once: int,
    on_topic: Callable[[], object],
) -> list[Narrative]:
    """Return narratives with sub-questions, the most important first.

    Args:
        narratives: What is split; sub-questions that they have already help the draft.
        models: Who drafts, then who revises; one model does both.
        access: How they may be used.
        at_once: Calls under way at once.
        on_topic: Told of each that is done.

    Raises:
        ReplyError: A model gave no usable answer.
    """
    from sidelight.generation.narratives.drafting import split_into_sub_narratives

    async def one(narrative: Narrative, asked: Sequence[PromptedModel]) -> Narrative:
        found = await split_into_sub_narratives(
            narrative.narrative, narrative.sub_questions, asked[0], asked[-1]
        )
        on_topic()
        return narrative.model_copy(update={"sub_questions": tuple(item.text for item in found)})

    async def work(asked: Mapping[str, PromptedModel]) -> list[Narrative]:
        return list(await asyncio.gather(*(one(item, [*asked.values()]) for item in narratives)))

    return asyncio.run(ask(models_by_name(models, at_once), access, work))
