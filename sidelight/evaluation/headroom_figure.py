"""The headroom of each topic as a bar chart, like Figure 1 of the DRAGUN resources paper."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from sidelight.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sidelight.evaluation.headroom import TopicHeadroom

_INCHES_A_TOPIC = 0.32
_MIN_INCHES = 8.0  # the legend stands on one line
_CEILING, _BEST, _MEAN, _CONTRADICTION = "#b9d3ee", "#1f4e8c", "#e8384f", "#f0a030"


def draw_headroom(topics: Sequence[TopicHeadroom], title: str, paths: Sequence[Path]) -> None:
    """Draw topics from left to right as given, and save the figure under every path.

    The same topics give the same bytes.

    Args:
        topics: At least one.
        title: Stands above the figure.
        paths: Their endings name the formats, e.g. `.svg` and `.png`.

    Raises:
        MachineError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MachineError(
            "the figure needs matplotlib, which is not installed",
            remedy="Install it with: pip install 'sidelight[plots]'",
        ) from error

    # Not pyplot: it would look for a screen and keep every figure alive.
    width = max(_MIN_INCHES, 1.2 + _INCHES_A_TOPIC * len(topics))
    figure = Figure(figsize=(width, 4.2), layout="constrained")
    axes = figure.subplots()
    places = range(len(topics))
    handles: dict[str, Any] = {
        "all runs combined": axes.bar(places, [topic.ceiling for topic in topics], color=_CEILING),
        "best run": axes.bar(places, [topic.best for topic in topics], color=_BEST),
    }
    lines = {"mean over runs": ([topic.mean for topic in topics], _MEAN, "o-")}
    contradictions = [
        topic.mean_contradiction for topic in topics if topic.mean_contradiction is not None
    ]
    if contradictions:
        lines["mean contradiction"] = (contradictions, _CONTRADICTION, "s--")
    for name, (values, color, style) in lines.items():
        # Not clipped: half of a marker at 0 lies below the axis.
        (handles[name],) = axes.plot(
            places, values, style, color=color, markersize=4, clip_on=False
        )
    prefix = _shared_prefix([topic.topic_id for topic in topics])
    axes.set_xticks(places, [topic.topic_id.removeprefix(prefix) for topic in topics], rotation=90)
    axes.set_xlabel(f"topic ({prefix}...)" if prefix else "topic")
    axes.set_xlim(-0.7, len(topics) - 0.3)
    axes.set_ylim(0, 1)
    axes.set_ylabel("score")
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title)
    figure.legend(
        handles.values(), handles, loc="outside lower center", ncols=len(handles), frameon=False
    )
    with rc_context({"svg.hashsalt": "sidelight"}):
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else {}
            figure.savefig(path, dpi=150, metadata=metadata)


def _shared_prefix(topic_ids: Sequence[str]) -> str:
    """Return what all ids begin with, in whole parts that end in `_`."""
    parts = [topic_id.split("_")[:-1] for topic_id in topic_ids]
    shared = takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False))
    return "".join(f"{column[0]}_" for column in shared)
