"""What all figures share: how one is opened and saved, its colours and its axes.

matplotlib is imported when a figure is drawn, and not before: it is an extra. The colours differ
for readers who see red and green alike, and differ in lightness, so that they do in grey print.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sidelight.errors import MachineError
from sidelight.files import check_output, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Literal

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DARK_BLUE, PALE_BLUE = "#1f4e8c", "#b9d3ee"
RED, ORANGE = "#e8384f", "#f0a030"
GREY, PALE_GREY = "#666666", "#dddddd"

_DOTS_PER_INCH = 150  # of PNG
_NAME_ENDS = 24  # characters kept of each end of a long name, such as a path


@contextmanager
def open_figure(size: tuple[float, float], paths: Sequence[Path]) -> Iterator[Figure]:
    """Yield an empty figure; save it under every path when the block ends.

    What is drawn the same gives the same bytes. Text is taken as it is, a `$` in it too.

    Args:
        size: Width and height in inches.
        paths: Their endings name the formats, e.g. `.svg` and `.png`; folders are made.

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
