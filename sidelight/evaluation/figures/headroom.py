"""The headroom of each topic as a bar chart, like Figure 1 of the DRAGUN resources paper."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from sidelight.evaluation.figures.figure import (
    DARK_BLUE,
    ORANGE,
    PALE_BLUE,
    RED,
    open_figure,
    tidy_axes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from sidelight.evaluation.scoring.headroom import TopicHeadroom

_INCHES_A_TOPIC = 0.32
_MIN_INCHES = 8.0  # the legend stands on one line


def draw_headroom(topics: Sequence[TopicHeadroom], title: str, paths: Sequence[Path]) -> None:
    """Draw topics from left to right as given, and save the figure under every path.

    Args:
        topics: At least one.
        title: Stands above the figure.
        paths: As `open_figure` takes them.

    Raises:
        MachineError: matplotlib is not installed.
    """
    width = max(_MIN_INCHES, 1.2 + _INCHES_A_TOPIC * len(topics))
    with open_figure((width, 4.2), paths) as figure:
        figure.suptitle(title)
        _draw(figure, topics)


def _draw(figure: Figure, topics: Sequence[TopicHeadroom]) -> None:
    from matplotlib.patheffects import withStroke

    axes = figure.subplots()
    places = range(len(topics))
    handles: dict[str, Any] = {
        "all runs combined": axes.bar(places, [topic.ceiling for topic in topics], color=PALE_BLUE),
        "best run": axes.bar(places, [topic.best for topic in topics], color=DARK_BLUE),
    }
    lines = {"mean over runs": ([topic.mean for topic in topics], RED, "o-")}
    contradictions = [
        topic.mean_contradiction for topic in topics if topic.mean_contradiction is not None
    ]
    if contradictions:
        lines["mean contradiction"] = (contradictions, ORANGE, "s--")
    for name, (values, color, style) in lines.items():
        (handles[name],) = axes.plot(
            places,
            values,
            style,
            color=color,
            markersize=4,
            clip_on=False,  # half of a marker at 0 lies below the axis
            path_effects=[withStroke(linewidth=3, foreground="white")],  # seen on dark bars, too
        )
    prefix = _shared_prefix([topic.topic_id for topic in topics])
    axes.set_xticks(places, [topic.topic_id.removeprefix(prefix) for topic in topics], rotation=90)
    axes.set_xlabel(f"topic ({prefix}...)" if prefix else "topic")
    axes.set_xlim(-0.7, len(topics) - 0.3)
    axes.set_ylim(0, 1)
    axes.set_ylabel("score")
    tidy_axes(axes, "y")
    figure.legend(
        handles.values(), handles, loc="outside lower center", ncols=len(handles), frameon=False
    )


def _shared_prefix(topic_ids: Sequence[str]) -> str:
    """Return what all ids begin with, in whole parts that end in `_`."""
    parts = [topic_id.split("_")[:-1] for topic_id in topic_ids]
    shared = takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False))
    return "".join(f"{column[0]}_" for column in shared)
