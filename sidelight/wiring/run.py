"""Run from settings, topics and an index, in one call, by the graph that the track names."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sidelight.registry import load
from sidelight.runs.directory import RunDirectory
from sidelight.runs.runner import run_topics
from sidelight.tracks import load_track
from sidelight.wiring.investigation import open_sources
from sidelight.wiring.models import ModelAccess

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from sidelight.config.settings import Settings
    from sidelight.index.folder import SearchIndex
    from sidelight.runs.runner import Investigate, RunSummary
    from sidelight.schemas.topic import Topic
    from sidelight.wiring.investigation import Sources


def open_graph(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AbstractAsyncContextManager[Investigate]:
    """Keep what work on topics needs open, and yield the function that works on one.

    A graph is registered as a function with these arguments. What it yields returns a result for
    each task of the track.

    Args:
        settings: Of the run; they name the track.
        sources: What it may read.
        access: How it may use models.

    Raises:
        UsageError: There is no such track or graph.
    """
    opened: AbstractAsyncContextManager[Investigate] = load(
        "graph", load_track(settings.track).graph
    )(settings, sources, access)
    return opened


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
    """Work on topics and write the files to submit; an interrupted call resumes.

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
