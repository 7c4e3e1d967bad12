"""Arms as runs: every arm an ordinary run directory, all of them under one limit."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sidelight.build.graphs import open_graph
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
    from sidelight.schemas.investigation.outcome import Outcome
    from sidelight.schemas.topic import Topic

ARMS = "arms"


async def run_arms(
    arms: Sequence[Arm],
    topics: Sequence[Topic],
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
        topics: All of them.
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
        _check_servers(arm, access)
    limit = asyncio.Semaphore(parallel)

    async def run(arm: Arm) -> RunSummary:
        @asynccontextmanager
        async def start() -> AsyncIterator[Investigate]:
            shared = sources.of(arm.settings.retrieval)
            async with open_graph(arm.settings, shared, access) as investigate:
                yield _limited(investigate, limit)

        return await run_topics(
            topics,
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


def _check_servers(arm: Arm, access: ModelAccess) -> None:
    """Refuse an arm that would start a model server."""
    for name, server in arm.settings.servers.items():
        given = access.base_url if name == "default" else None
        if server.start and not (given or server.base_url or access.offline):
            raise UsageError(
                f"arm {arm.name}: expected the address of the server {name!r}, which all arms "
                "share; found settings that start one",
                remedy="Start it once, and give its address: --base-url http://HOST:PORT/v1",
            )


def _limited(investigate: Investigate, limit: asyncio.Semaphore) -> Investigate:
    """Return an investigation that waits for its turn among those of all arms."""

    async def within_limit(topic: Topic, log: TopicLog) -> Outcome:
        async with limit:
            return await investigate(topic, log)

    return within_limit
