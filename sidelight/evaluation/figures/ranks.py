"""Two sides' scores of the runs as a scatter: their means, and every topic behind them.

The former is like Figure 2 of the DRAGUN resources paper, the latter like Figures 6 to 8 of the
overview of TREC 2025 RAG.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.figures.figure import (
    DARK_BLUE,
    GREY,
    PALE_BLUE,
    RED,
    open_figure,
    short_name,
    tidy_axes,
)
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from sidelight.evaluation.agreement.ranks import ScoreComparison

_MAX_NAMED = 12
_NAME_GAP = 1 / _MAX_NAMED  # between names, of the height of the axes


def draw_run_means(found: ScoreComparison, sides: tuple[str, str], paths: Sequence[Path]) -> None:
    """Draw a point for each run, with a least-squares line and Kendall's tau-b.

    Up to 12 runs are named.

    Args:
        found: The comparison.
        sides: What to call the first (x) and the second side (y).
        paths: As `open_figure` takes them.

    Raises:
        MachineError: matplotlib is not installed.
    """
    named = len(found.run_tags) <= _MAX_NAMED
    with open_figure((7.4 if named else 5.6, 4.8), paths) as figure:
        axes = figure.subplots()
        axes.scatter(*found.means, color=DARK_BLUE, alpha=0.8, linewidths=0, gid="runs")
        _draw_trend(axes, *found.means)
        if named:
            _name_runs(axes, found)
        _name_axes(axes, found, sides)
        figure.suptitle(_caption(found), fontsize="medium")


def draw_topic_cloud(found: ScoreComparison, sides: tuple[str, str], paths: Sequence[Path]) -> None:
    """Draw a pale point for each run and topic, one for each run's mean, and where both are equal.

    Args:
        found: The comparison.
        sides: What to call the first (x) and the second side (y).
        paths: As `open_figure` takes them.

    Raises:
        MachineError: matplotlib is not installed.
    """
    with open_figure((5.6, 5.6), paths) as figure:
        axes = figure.subplots()
        cloud = np.array(found.scores).reshape(2, -1)
        ends = [cloud.min(), cloud.max()]
        axes.plot(ends, ends, "--", color=GREY, linewidth=1, gid="identity", label="equal scores")
        axes.scatter(
            cloud[0],
            cloud[1],
            s=9,
            color=PALE_BLUE,
            alpha=0.6,
            linewidths=0,
            gid="topics",
            label=f"a run on a topic ({cloud.shape[1]:,})",
        )
        axes.scatter(
            *found.means,
            color=DARK_BLUE,
            linewidths=0,
            gid="runs",
            label=f"mean of a run ({len(found.run_tags)})",
        )
        axes.set_aspect("equal", adjustable="datalim")
        _name_axes(axes, found, sides)
        figure.suptitle(_levels(found), fontsize="medium")
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")


def _name_axes(axes: Axes, found: ScoreComparison, sides: tuple[str, str]) -> None:
    measure = found.measure.replace("_", " ")
    axes.set_xlabel(f"{measure}\n{short_name(sides[0])}", fontsize="small")
    axes.set_ylabel(f"{measure}\n{short_name(sides[1])}", fontsize="small")
    tidy_axes(axes, "both")


def _draw_trend(axes: Axes, first: Sequence[float], second: Sequence[float]) -> None:
    if len(set(first)) > 1:
        slope, height = np.polyfit(first, second, 1)
        ends = np.array([min(first), max(first)])
        axes.plot(ends, slope * ends + height, "--", color=RED, gid="trend")


def _name_runs(axes: Axes, found: ScoreComparison) -> None:
    """Write the names right of the axes, each joined to its point, so that none hides another."""
    low, high = axes.get_ylim()
    runs = sorted(zip(found.means[1], found.means[0], found.run_tags, strict=True))
    heights = _spread([(y - low) / (high - low) for y, _, _ in runs])
    for (y, x, run_tag), height in zip(runs, heights, strict=True):
        axes.annotate(
            run_tag,
            (x, y),
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            fontsize="small",
            arrowprops={
                "arrowstyle": "-",
                "color": GREY,
                "linewidth": 0.5,
                "relpos": (0, 0.5),  # the line begins left of the name
                "shrinkB": 3,
            },
            annotation_clip=False,
        )
    axes.set_ylim(low, high)


def _spread(heights: Sequence[float]) -> list[float]:
    """Move ascending heights of 0 to 1 apart by at least the gap, none out of that range."""
    spread: list[float] = []
    for height in heights:
        spread.append(max(height, spread[-1] + _NAME_GAP) if spread else height)
    ceiling = 1.0
    for place in reversed(range(len(spread))):
        spread[place] = min(spread[place], ceiling)
        ceiling = spread[place] - _NAME_GAP
    return spread


def _caption(found: ScoreComparison) -> str:
    tau, interval = found.runs["tau_b"], found.intervals["tau_b"]
    if tau is None:
        value = "undefined"
    else:
        value = f"{tau:.3f}"
        if interval.low is not None:
            value += f", 95% interval {interval.low:.3f} to {interval.high:.3f}"
    return (
        f"Kendall's τ-b {value}\n"
        f"{counted(len(found.run_tags), 'run')}, "
        f"means over {counted(len(found.topic_ids), 'topic')}"
    )


def _levels(found: ScoreComparison) -> str:
    levels = {
        "means of runs": found.runs["tau_b"],
        "mean of topics": found.topics["tau_b"].mean,
        "all pairs": found.pairs["tau_b"],
    }
    told = (
        f"{name} {'undefined' if value is None else f'{value:.3f}'}"
        for name, value in levels.items()
    )
    return f"Kendall's τ-b: {', '.join(told)}"
