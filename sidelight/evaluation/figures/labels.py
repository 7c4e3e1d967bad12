"""Label agreement drawn: who is given which label instead of which, and which label how often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.figures.figure import (
    DARK_BLUE,
    GREY,
    ORANGE,
    open_figure,
    short_name,
    tidy_axes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from sidelight.evaluation.agreement.categories import CategoryAgreement

_BAR = 0.38  # height; two of them and a gap make 1


def draw_confusion(found: CategoryAgreement, sides: tuple[str, str], paths: Sequence[Path]) -> None:
    """Draw the confusion matrix: counts, and each as a share of its row, which is its colour.

    Shares of the row, since the most common label would outshine all others.

    Args:
        found: The agreement.
        sides: What to call the first (rows) and the second side (columns).
        paths: As `open_figure` takes them.

    Raises:
        MachineError: matplotlib is not installed.
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
    """Draw how often each side gives each label, and beside it which the second gives too often.

    Args:
        found: The agreement.
        sides: What to call the first and the second side.
        paths: As `open_figure` takes them.

    Raises:
        MachineError: matplotlib is not installed.
    """
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
