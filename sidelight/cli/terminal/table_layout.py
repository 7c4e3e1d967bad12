"""Which columns of a table stand side by side, and how wide, in so many characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Sequence

_EDGE = 3  # a border and the spaces on both sides of a cell
_LEAST_NAME = 12  # of a name on one line; what is longer goes on below
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
        Of each table the columns, by their places, with their widths. Each begins with the first
        column, and the first table has the first measure. A cell too wide for any line is folded.
    """
    whole = _widths(header, rows)
    width = None if width is None else max(width, _LEAST_WIDTH)
    if width is None or natural_width(header, rows) <= width:
        return [dict(enumerate(whole))]
    # A heading of several words may go over several lines, a figure may not.
    least = _widths([max(name.split() or [""], key=cell_len) for name in header], rows)
    name, *others = least
    room = width - 1 - _EDGE
    name = min(name, max(_LEAST_NAME, room - _EDGE - max(others, default=0)))
    room -= name
    blocks: list[dict[int, int]] = [{0: name}]
    free = room
    for place, wanted in enumerate(others, start=1):
        needed = min(wanted, room - _EDGE)
        if wanted > LONGEST_FIGURE and free - _EDGE >= _LEAST_TEXT:
            needed = min(needed, free - _EDGE)
        if needed + _EDGE > free and len(blocks[-1]) > 1:
            blocks.append({0: name})
            free = room
        blocks[-1][place] = needed
        free -= needed + _EDGE
    return blocks


def _widths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(cell_len(cell) for cell in (name, *(row[place] for row in rows)))
        for place, name in enumerate(header)
    ]
