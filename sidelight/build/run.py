"""A run from settings, topics and an index, in one call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sidelight.build.graphs import open_graph
from sidelight.build.investigation import open_sources
from sidelight.build.models import ModelAccess
from sidelight.runs.directory import RunDirectory
from sidelight.runs.runner import run_topics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from sidelight.config.settings import Settings
    from sidelight.index.folder import SearchIndex
    from sidelight.runs.runner import RunSummary
    from sidelight.schemas.topic import Topic

# Topics at once: computing ones share the processor, asking ones mostly wait.
COMPUTING, ASKING = 4, 32


def make_run(
    topics: Sequence[Topic],
    settings: Settings,
    index: SearchIndex,
    folder: Path,
    access: ModelAccess | None = None,
    *,
    only: Collection[str] = (),
    parallel: int | None = None,
    on_topic: Callable[[str], None] = lambda _: None,
) -> RunSummary:
    """Work on topics and write the files to submit; interrupted, the same call goes on.

    Args:
        topics: All of them, all of them in the files.
        settings: What the run depends on.
        index: What is searched.
        folder: The run directory.
        access: How models may be used; by default with a cache in the folder and without a budget.
        only: The topics to work on now; all if none is named.
        parallel: Topics worked on at once; 4 by default, or 32 where a model is asked.
        on_topic: Called with the id of each topic that ends.

    Raises:
        UsageError: The folder holds a run of something else, or a model is asked and none named.
        MachineError: A model server cannot be started.
    """
    access = access or ModelAccess(RunDirectory(folder).cache)
    asks = settings.models.writer is not None
    return asyncio.run(
        run_topics(
            topics,
            settings,
            index.fingerprint(),
            lambda: open_graph(settings, open_sources(settings.retrieval, index), access),
            folder,
            only=only,
            parallel=parallel or (ASKING if asks else COMPUTING),
            on_topic=on_topic,
        )
    )
