"""Which columns of a table stand side by side, and how wide, in so many characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Sequence

_EDGE = 3  # a border and the spaces on both sides of a cell
_LEAST_NAME = 12  # of a name on one line; what is longer goes on below
_MOST_NAMES = 0.6  # of a line, taken by several columns that tell rows apart
_LEAST_WIDTH = 24
LONGEST_FIGURE = 30  # what is longer is text, and may go over several lines
_LEAST_TEXT = 20


def natural_width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide a table is that has each row on one line."""
    return 1 + sum(_EDGE + one for one in _widths(header, rows))


def table_blocks(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> list[dict[int, int]]:
    """Return tables to be printed below each other that show all of one table.

    Args:
        header: What stands above the columns.
        rows: The cells.
        width: Characters of a line; None for lines of any length.

    Returns:
        Of each table the columns, by their places, with their widths. Each begins with the names
        of the rows, and the first table has the first measure. A cell too wide for any line is
        folded.
    """
    whole = _widths(header, rows)
    width = None if width is None else max(width, _LEAST_WIDTH)
    if width is None or natural_width(header, rows) <= width:
        return [dict(enumerate(whole))]
    # A heading of several words may go over several lines, a figure may not.
    least = _widths([max(name.split() or [""], key=cell_len) for name in header], rows)
    names = _names(rows, least, width)
    others = [place for place in range(len(header)) if place not in names]
    if len(names) == 1:
        widest = max((least[place] for place in others), default=0)
        names[0] = min(names[0], max(_LEAST_NAME, width - 1 - 2 * _EDGE - widest))
    room = free = width - 1 - sum(_EDGE + one for one in names.values())
    blocks = [dict(names)]
    for place in others:
        needed = min(least[place], room - _EDGE)
        if least[place] > LONGEST_FIGURE and free - _EDGE >= _LEAST_TEXT:
            needed = min(needed, free - _EDGE)
        if needed + _EDGE > free and len(blocks[-1]) > len(names):
            blocks.append(dict(names))
            free = room
        blocks[-1][place] = needed
        free -= needed + _EDGE
    return blocks


def _names(rows: Sequence[Sequence[str]], widths: list[int], width: int) -> dict[int, int]:
    """Return the first columns, by which rows are told apart, as far as there is room for them."""
    names = {0: widths[0]}
    for place in range(1, len(widths)):
        told_apart = len({tuple(row[:place]) for row in rows}) == len(rows)
        taken = sum(_EDGE + one for one in widths[: place + 1])
        if told_apart or taken > width * _MOST_NAMES:
            break
        names[place] = widths[place]
    return names


def _widths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(cell_len(cell) for cell in (name, *(row[place] for row in rows)))
        for place, name in enumerate(header)
    ]
