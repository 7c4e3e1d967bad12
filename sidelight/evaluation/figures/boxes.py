"""Boxplots of scores, like Figures 1 and 2 of the TREC 2024 Lateral Reading track overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.figures.figure import (
    DARK_BLUE,
    GREY,
    PALE_BLUE,
    open_figure,
    short_name,
    tidy_axes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sidelight.evaluation.scoring.graded.spread import Box

_BOX_INCHES = 0.22
_MAX_NAMED = 80  # beyond that names overlap
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
    """Draw a box for each name, whiskers to the lowest and highest, in the order given.

    Args:
        boxes: At least one.
        measure: What the numbers are.
        paths: As `open_figure` takes them.

    Raises:
        MachineError: matplotlib is not installed.
    """
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
        if len(boxes) <= _MAX_NAMED:
            axes.tick_params(axis="x", labelrotation=90, labelsize="x-small")
        else:
            axes.set_xticks([])
        if groups:
            first = {box.group: patch for box, patch in zip(boxes, drawn["boxes"], strict=True)}
            axes.legend([first[group] for group in groups], groups, fontsize="x-small", ncols=2)
        tidy_axes(axes, "y")
