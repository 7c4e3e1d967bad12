"""Tables for papers, in LaTeX with booktabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.files import atomic_writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_WORDS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "[": "{[}",  # after the end of a row, a bare one would begin an optional argument
    "]": "{]}",
}
_SPECIAL = re.compile(r"[\\~^\[\]&%$#_{}]")


def latex_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a `tabular` with booktabs' rules: names on the left, figures on the right.

    It needs `\usepackage{booktabs}`. The text of cells is escaped.
    """
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
        r"\toprule",
        _row(header),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def write_latex_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write what `latex_table` returns."""
    with atomic_writer(path) as stream:
        stream.write(latex_table(header, rows))


def _row(cells: Iterable[str]) -> str:
    return " & ".join(map(_escaped, cells)) + r" \\"


def _escaped(cell: str) -> str:
    return _SPECIAL.sub(lambda found: _WORDS.get(found[0], "\\" + found[0]), cell)
