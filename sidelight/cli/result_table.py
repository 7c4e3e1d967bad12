"""A table of results as commands deliver it: the terminal, CSV, LaTeX, and a figure of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.cli.console import out, print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path


class ResultTable(NamedTuple):
    """At least one row of figures, as people read them and in full.

    Attributes:
        name: How its files are called, without the ending.
        header: What the terminal and LaTeX show above the columns.
        rows: What they show, rounded.
        records: The figures in full by column name, as CSV holds them; None is an empty cell.
        draw: Saves a figure of the table under every path it is given; None if there is none.
    """

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, object]]
    draw: Callable[[Sequence[Path]], None] | None = None

    def show(self) -> None:
        """Print the table."""
        print_table(self.header, self.rows)


def write_results(folder: Path | None, tables: Iterable[ResultTable]) -> list[Path]:
    """Write each table as `.csv` and `.tex`, then the figures as `.svg` and `.png`.

    Args:
        folder: Created if need be; None writes nothing.
        tables: Of different names.

    Returns:
        What was written.

    Raises:
        MachineError: There is a figure, and matplotlib is not installed. The tables are written.
    """
    from sidelight.formats.latex import write_latex_table
    from sidelight.formats.table import write_table

    if folder is None:
        return []
    written, figures = [], []
    for table in tables:
        csv, tex, svg, png = (
            folder / f"{table.name}.{ending}" for ending in ("csv", "tex", "svg", "png")
        )
        columns = list(table.records[0])
        write_table(csv, columns, ([row[name] for name in columns] for row in table.records))
        write_latex_table(tex, table.header, table.rows)
        written += [csv, tex]
        if table.draw:
            figures.append((table.draw, (svg, png)))
    for draw, paths in figures:
        draw(paths)
        written += paths
    return written


def list_files(paths: Iterable[Path]) -> None:
    """Print what was written."""
    for path in paths:
        out.print(f"  {path}", markup=False)
