"""Arms as runs: every arm an ordinary run directory, all of them under one limit."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sidelight.build.investigation import open_investigation
from sidelight.errors import UsageError
from sidelight.runs.runner import run_topics

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from sidelight.ablation.grid import Arm
    from sidelight.ablation.shared import SharedSources
    from sidelight.build.models import ModelAccess
    from sidelight.runs.log import TopicLog
    from sidelight.runs.runner import Investigate, RunSummary
    from sidelight.schemas.article import Article
    from sidelight.schemas.outcome import Outcome

ARMS = "arms"


async def run_arms(
    arms: Sequence[Arm],
    articles: Sequence[Article],
    sources: SharedSources,
    index_fingerprint: str,
    folder: Path,
    access: ModelAccess,
    *,
    parallel: int,
    on_topic: Callable[[str], None] = lambda _: None,
) -> dict[str, RunSummary]:
    """Finish the runs of all arms that are not finished; those of equal settings are one.

    Args:
        arms: All arms.
        articles: The topics.
        sources: Shared by all.
        index_fingerprint: Hash of the index.
        folder: Gets a run directory for each arm under `arms/`.
        access: One cache and one budget for all models.
        parallel: Topics worked on at once, over all arms.
        on_topic: Called with the id of each topic of each arm that ends.

    Returns:
        By the name of the arm; equal arms are left out.

    Raises:
        UsageError: An arm would start a model server: arms side by side would start many.
    """
    for arm in arms:
        for name, server in arm.settings.servers.items():
            given = access.base_url if name == "default" else None
            if server.start and not (given or server.base_url or access.offline):
                raise UsageError(
                    f"arm {arm.name}: expected the address of the server {name!r}, which all arms "
                    "share; found settings that start one",
                    remedy="Start it once, and give its address: --base-url http://HOST:PORT/v1",
                )
    limit = asyncio.Semaphore(parallel)

    async def run(arm: Arm) -> RunSummary:
        @asynccontextmanager
        async def start() -> AsyncIterator[Investigate]:
            shared = sources.of(arm.settings.retrieval)
            async with open_investigation(arm.settings, shared, access) as investigate:

                async def within_limit(article: Article, log: TopicLog) -> Outcome:
                    async with limit:
                        return await investigate(article, log)

                yield within_limit

        return await run_topics(
            articles,
            arm.settings,
            index_fingerprint,
            start,
            folder / ARMS / arm.name,
            parallel=parallel,
            on_topic=on_topic,
        )

    own = [arm for arm in arms if arm.same_as is None]
    tasks = [asyncio.create_task(run(arm)) for arm in own]
    try:
        summaries = await asyncio.gather(*tasks)
    finally:  # when one must stop, the others stop too
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {arm.name: summary for arm, summary in zip(own, summaries, strict=True)}
