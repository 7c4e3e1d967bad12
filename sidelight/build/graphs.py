"""What works on the topics of a track: the graph that the track names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.registry import load
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from sidelight.build.investigation import Sources
    from sidelight.build.models import ModelAccess
    from sidelight.config.settings import Settings
    from sidelight.runs.runner import Investigate


def open_graph(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AbstractAsyncContextManager[Investigate]:
    """Hold what work on topics needs open, and yield the function that works on one.

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
