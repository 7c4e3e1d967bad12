"""Models by their names on the command line, asked the way judges ask."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from sidelight.build.models import open_models, sampling
from sidelight.config.settings import ModelSettings, ServerSettings, Settings
from sidelight.errors import BudgetExhaustedError
from sidelight.llm.prompted import PromptedModel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from sidelight.build.models import ModelAccess

T = TypeVar("T")


async def ask_models(
    names: Sequence[str],
    access: ModelAccess,
    at_once: int,
    work: Callable[[Sequence[PromptedModel]], Awaitable[T]],
) -> T:
    """Open models, temperature 0, and do some work with them.

    Args:
        names: Under which they are served.
        access: How models may be used.
        at_once: Calls under way at once, to each model.
        work: What is done with the models, in the order of their names.
    """
    settings = Settings(servers={"default": ServerSettings(max_concurrency=at_once)})
    models = [ModelSettings(name=name, temperature=0, top_p=1) for name in names]
    return await ask_configured(settings, models, access, work)


async def ask_configured(
    settings: Settings,
    models: Sequence[ModelSettings],
    access: ModelAccess,
    work: Callable[[Sequence[PromptedModel]], Awaitable[T]],
) -> T:
    """Open models as settings describe them and their servers, and do some work with them."""
    async with open_models(settings, access) as opened:
        asked = [
            PromptedModel(
                await opened.named(model),
                sampling(model),
                lambda _: None,
                revision=model.revision,
            )
            for model in models
        ]
        try:
            return await work(asked)
        except BudgetExhaustedError:
            # What the budget still covers is under way: let it reach the cache.
            others = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*others, return_exceptions=True)
            raise
