"""Figures of an evaluation: boxplots of scores, headroom, label confusion, and rank scatter plots.

Modelled on: Figures 1 and 2 of the TREC 2024 Lateral Reading track overview (boxplots), Figure 1 of
the DRAGUN resources paper (headroom), its Figure 2 (mean scores of two sides) and Figures 6 to 8 of
the TREC 2025 RAG overview (per-topic scores of two sides).

matplotlib is an extra, and is imported only when a figure is drawn; without it that is a
MachineError. Colours are distinguishable with red-green colour blindness and differ in lightness,
so that they do in grey print.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sidelight.errors import install_hint, package_of
from sidelight.files import check_output, make_folder
from sidelight.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sidelight.evaluation.agreement.labels import CategoryAgreement
    from sidelight.evaluation.agreement.ranks import ScoreComparison
    from sidelight.evaluation.scoring.graded import Box
    from sidelight.evaluation.scoring.score import TopicHeadroom

DARK_BLUE, PALE_BLUE = "#1f4e8c", "#b9d3ee"
RED, ORANGE = "#e8384f", "#f0a030"
GREY, PALE_GREY = "#666666", "#dddddd"

_DOTS_PER_INCH = 150  # of PNG
_NAME_ENDS = 24  # characters kept of each end of a long name, such as a path


@contextmanager
def open_figure(size: tuple[float, float], paths: Sequence[Path]) -> Iterator[Figure]:
    """Yield an empty figure; save it under every path when the block ends.

    What is drawn the same gives the same bytes. Text is taken as it is, a `$` in it too. `size` is
    width and height in inches; the endings of `paths` name the formats, e.g. `.svg` and `.png`.
    """
    with package_of("a figure", install_hint("plots")):
        from matplotlib import rc_context
        from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "sidelight", "text.parse_math": False}):
        # Not pyplot: it would look for a screen and keep every figure alive.
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        for path in paths:
            check_output(path)
            make_folder(path.parent)
            metadata = {"Date": None} if path.suffix == ".svg" else {}
            figure.savefig(path, dpi=_DOTS_PER_INCH, metadata=metadata)


def tidy_axes(axes: Axes, grid: Literal["x", "y", "both"]) -> None:
    """Leave axes left and below, and draw a pale grid behind the data."""
    axes.grid(axis=grid, color=PALE_GREY)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def short_name(name: str) -> str:
    """Return a name that fits beside an axis: the middle of a long one is cut."""
    if len(name) <= 2 * _NAME_ENDS + 1:
        return name
    return f"{name[:_NAME_ENDS]}…{name[-_NAME_ENDS:]}"


_BOX_INCHES = 0.22
_MAX_NAMED_RUNS = 80  # beyond that names overlap
# Light enough for the line of the median; groups beyond them begin again.
_COLOURS = (
    PALE_BLUE,
    "#f5c99b",
    "#b8e0c2",
    "#e6b8d4",
    "#fff0a8",
    "#c9c3e6",
    "#d9d0c3",
    "#a8dde0",
    "#f2b5b0",
    "#d4e09b",
)


def draw_boxes(boxes: Sequence[Box], measure: str, paths: Sequence[Path]) -> None:
    """Draw a box for each name, whiskers to the lowest and highest, in the order given."""
    groups = sorted({box.group for box in boxes if box.group})
    colours = {group: _COLOURS[number % len(_COLOURS)] for number, group in enumerate(groups)}
    width = min(40.0, max(5.0, 1.5 + _BOX_INCHES * len(boxes)))
    with open_figure((width, 5.2), paths) as figure:
        axes = figure.subplots()
        drawn = axes.bxp(
            [
                {
                    "label": short_name(box.name),
                    "whislo": box.lowest,
                    "q1": box.lower,
                    "med": box.median,
                    "q3": box.upper,
                    "whishi": box.highest,
                }
                for box in boxes
            ],
            showfliers=False,
            patch_artist=True,
            medianprops={"color": DARK_BLUE, "linewidth": 1.6},
            boxprops={"edgecolor": GREY},
            whiskerprops={"color": GREY},
            capprops={"color": GREY},
        )
        for patch, box in zip(drawn["boxes"], boxes, strict=True):
            patch.set_facecolor(colours.get(box.group, PALE_BLUE))
        axes.set_ylabel(measure)
        if len(boxes) <= _MAX_NAMED_RUNS:
            axes.tick_params(axis="x", labelrotation=90, labelsize="x-small")
        else:
            axes.set_xticks([])
        if groups:
            first = {box.group: patch for box, patch in zip(boxes, drawn["boxes"], strict=True)}
            axes.legend([first[group] for group in groups], groups, fontsize="x-small", ncols=2)
        tidy_axes(axes, "y")


_INCHES_A_TOPIC = 0.32
_MIN_INCHES = 8.0  # the legend stands on one line


def draw_headroom(topics: Sequence[TopicHeadroom], title: str, paths: Sequence[Path]) -> None:
    """Draw topics from left to right as given, and save the figure under every path."""
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


_BAR = 0.38  # height; two of them and a gap make 1


def draw_confusion(found: CategoryAgreement, sides: tuple[str, str], paths: Sequence[Path]) -> None:
    """Draw the confusion matrix: counts, and each as a share of its row, which is its colour.

    Shares of the row, since the most common label would outshine all others. `sides` are the names
    of the first side (rows) and the second (columns).
    """
    n_categories = len(found.categories)
    totals = found.table.sum(axis=1, keepdims=True)
    shares = found.table / np.maximum(totals, 1)
    # Two categories need room for the names of the sides.
    size = max(5.0, 2.4 + 1.1 * n_categories), max(4.0, 1.4 + 0.7 * n_categories)
    with open_figure(size, paths) as figure:
        axes = figure.subplots()
        axes.pcolormesh(shares, cmap="Blues", vmin=0, vmax=1, edgecolors="white", gid="cells")
        for (row, column), count in np.ndenumerate(found.table):
            share = shares[row, column]
            axes.text(
                column + 0.5,
                row + 0.5,
                f"{count:,}\n{share:.1%}" if totals[row] else "0",
                ha="center",
                va="center",
                color="white" if share > 0.5 else "black",
            )
        places = np.arange(n_categories) + 0.5
        axes.set_xticks(places, found.categories)
        rows = zip(found.categories, totals.ravel(), strict=True)
        axes.set_yticks(places, [f"{category}\nn = {total:,}" for category, total in rows])
        axes.invert_yaxis()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(short_name(sides[1]), fontsize="small")
        axes.set_ylabel(short_name(sides[0]), fontsize="small")


def draw_label_shares(
    found: CategoryAgreement, sides: tuple[str, str], paths: Sequence[Path]
) -> None:
    """Draw how often each side gives each label, and beside it which the second gives too often."""
    with open_figure((9.0, 1.7 + 0.65 * len(found.categories)), paths) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        _draw_shares(left, found, sides)
        _draw_differences(right, found)
        left.set_yticks(range(len(found.categories)), found.categories)
        left.invert_yaxis()
        for axes in (left, right):
            axes.tick_params(axis="y", length=0)
        figure.suptitle(f"{found.n:,} labels by each side", fontsize="medium")
        figure.legend(loc="outside lower left", ncols=1, frameon=False)


def _draw_shares(axes: Axes, found: CategoryAgreement, sides: tuple[str, str]) -> None:
    places = np.arange(len(found.categories))
    for side, (name, color) in enumerate(zip(sides, (DARK_BLUE, ORANGE), strict=True)):
        shares = [100 * both[side] for both in found.shares.values()]
        bars = axes.barh(places + (side - 0.5) * _BAR, shares, _BAR, color=color, label=name)
        axes.bar_label(bars, [f"{share:.1f}" for share in shares], padding=3, fontsize="small")
    axes.set_xlim(0, 112)  # room for a number at the end of a full bar
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("% of the side's labels")
    tidy_axes(axes, "x")


def _draw_differences(axes: Axes, found: CategoryAgreement) -> None:
    differences = [100 * (second - first) for first, second in found.shares.values()]
    colors = [ORANGE if difference > 0 else DARK_BLUE for difference in differences]
    bars = axes.barh(range(len(differences)), differences, 2 * _BAR, color=colors)
    names = [
        f"{difference:+.1f}" + ("" if ratio is None else f" (×{ratio:.2f})")
        for difference, ratio in zip(differences, found.share_ratios.values(), strict=True)
    ]
    axes.bar_label(bars, names, padding=3, fontsize="small")
    axes.axvline(0, color=GREY, linewidth=0.8)
    # The numbers stand outside the bars, which need half the width on each side for that.
    reach = 1.8 * max(map(abs, differences)) or 1
    axes.set_xlim(-reach, reach)
    axes.locator_params(axis="x", nbins=5)
    axes.set_xlabel("given more often by the second side, percentage points")
    tidy_axes(axes, "x")
    axes.spines["left"].set_visible(False)


_MAX_NAMED = 12
_NAME_GAP = 1 / _MAX_NAMED  # between names, of the height of the axes


def draw_run_means(found: ScoreComparison, sides: tuple[str, str], paths: Sequence[Path]) -> None:
    """Draw a point for each run, with a least-squares line and Kendall's tau-b.

    Up to 12 runs are named. The first side is x, the second y.
    """
    named = len(found.run_tags) <= _MAX_NAMED
    with open_figure((7.4 if named else 5.6, 4.8), paths) as figure:
        axes = figure.subplots()
        axes.scatter(*found.means, color=DARK_BLUE, alpha=0.8, linewidths=0, gid="runs")
        first, second = found.means
        if len(set(first)) > 1:
            slope, height = np.polyfit(first, second, 1)
            ends = np.array([min(first), max(first)])
            axes.plot(ends, slope * ends + height, "--", color=RED, gid="trend")
        if named:
            _name_runs(axes, found)
        _name_axes(axes, found, sides)
        figure.suptitle(_caption(found), fontsize="medium")


def draw_topic_cloud(found: ScoreComparison, sides: tuple[str, str], paths: Sequence[Path]) -> None:
    """Draw pale points for runs on topics, dark ones for means of runs, and the line x = y."""
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
    value = "undefined" if tau is None else f"{tau:.3f}"
    if tau is not None and interval.low is not None:
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
