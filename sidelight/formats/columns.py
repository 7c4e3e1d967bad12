"""Files of white-space separated columns, as trec_eval reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_lines

if TYPE_CHECKING:
    from pathlib import Path

# `str.split` would also split on the no-break spaces an id may hold.
_SPACES = re.compile("[ \t\r\f\v]+")


def read_columns(path: Path, names: tuple[str, ...]) -> list[tuple[int, list[str]]]:
    """Return the line number and the cells of every line that is not blank.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is not UTF-8 or has another number of columns than `names`.
    """
    findings = Findings(path)
    rows = []
    for line, text in read_lines(path):
        cells = _SPACES.split(text.strip(" \t\r\f\v"))
        if len(cells) != len(names):
            findings.error(
                "column-count",
                line,
                expected=f"{len(names)} columns, {' '.join(names)}",
                found=f"{len(cells)}: {quoted(text)}",
                remedy="Separate columns by spaces or tabs.",
            )
        rows.append((line, cells))
    findings.raise_errors()
    return rows
