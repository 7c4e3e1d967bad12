"""Tables: CSV files with a header row, read and written, and tables in LaTeX and Markdown.

Text in CSV stays text. The usual readers turn `N/A`, `None` and an empty cell into a missing
number, and a column of ranks into floats as soon as one is missing; the `csv` module changes
nothing.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sidelight.errors import package_of
from sidelight.files import atomic_write, atomic_writer
from sidelight.formats.lines import Findings, open_text
from sidelight.text import quoted


class Row(NamedTuple):
    """One record: the 1-based number of the line it begins on, and its cells by column name."""

    line: int
    cells: dict[str, str]


def columns_of(header: str) -> tuple[str, ...]:
    """Return the column names in the first line of a table, as far as one line tells them."""
    return tuple(cell.strip('"') for cell in header.strip().split(_separator(header)))


def separator_of(path: Path) -> str:
    """Return what separates the cells of a CSV file: a comma, a semicolon or a tab."""
    return _separator(next(filter(None, _lines(path)), ""))


def _separator(header: str) -> str:
    """Return what separates cells, which spreadsheets of many countries write for commas."""
    return max(",;\t", key=header.count)


def read_table(path: Path) -> tuple[tuple[str, ...], Iterator[Row]]:
    """Return the column names of a CSV file, and its records one by one; blank lines are left out.

    Cells may stand between semicolons or tabs, as spreadsheets of many countries write them.
    Problems of the header are raised at once, those of records after the last record.
    """
    findings = Findings(path)
    records = _records(_lines(path), findings)
    _, cells = next(records, (1, []))
    header = tuple(cells)
    if len(set(header)) < len(header) or not header:
        findings.error(
            "csv-header",
            1,
            expected="a first line of different column names",
            found=quoted(",".join(header)),
            remedy="Add the header line, or rename the column that occurs twice.",
        )
        findings.raise_errors()
    return header, _rows(header, records, findings)


def to_frame(records: Sequence[Mapping[str, object]]) -> Any:
    """Return records as a `pandas.DataFrame`."""
    with package_of("a data frame", "Install it with: pip install pandas"):
        import pandas as pd
    return pd.DataFrame.from_records(list(records))


def write_table(
    path: Path, header: Iterable[str], rows: Iterable[Iterable[object]], separator: str = ","
) -> None:
    """Write a CSV file.

    None becomes an empty cell, a lone CR a line break; a float reads back as the same number.
    """
    with atomic_writer(path) as stream:
        writer = csv.writer(stream, lineterminator="\n", delimiter=separator)
        writer.writerow(header)
        writer.writerows(map(_written, row) for row in rows)


def _written(value: object) -> str:
    # The csv module does not quote a lone CR, and then cannot read it back.
    return "" if value is None else re.sub("\r\n?", "\n", str(value))


def _rows(
    header: tuple[str, ...], records: Iterator[tuple[int, list[str]]], findings: Findings
) -> Iterator[Row]:
    for line, cells in records:
        if len(cells) == len(header):
            yield Row(line, dict(zip(header, cells, strict=True)))
        else:
            findings.error(
                "csv-cells",
                line,
                expected=f"{len(header)} cells",
                found=f"{len(cells)}",
                remedy="Quote cells that hold separators, quotes or line breaks.",
            )
    findings.raise_errors()


def _lines(path: Path) -> list[str]:
    file = open_text(path)
    Findings(path, file.problems).raise_errors()
    return [line.text for line in file.lines]


def _records(lines: Sequence[str], findings: Findings) -> Iterator[tuple[int, list[str]]]:
    separator = _separator(next((text for text in lines if text), ""))
    reader = csv.reader((text + "\n" for text in lines), strict=True, delimiter=separator)
    begins = 1
    try:
        for cells in reader:
            if cells:
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        findings.error(
            "csv-syntax",
            begins,
            expected="CSV",
            found=f"a record that is not: {error}",
            remedy="Write the file with a CSV library.",
        )


_WORDS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    "-": "-{}",  # the first of two, which would be one dash
    "[": "{[}",  # after the end of a row, a bare one would begin an optional argument
    "]": "{]}",
    "\N{MINUS SIGN}": "$-$",
    "<": "$<$",
    ">": "$>$",
}
_SPECIAL = re.compile(r"[\\~^`\[\]&%$#_{}<>\N{MINUS SIGN}]|-(?=-)")
_MINUS = re.compile(r"(?<![\w.-])-(?=\.?\d)")


_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def latex_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", label: str = ""
) -> str:
    r"""Return a `tabular` with booktabs' rules: names on the left, figures on the right.

    It needs `\usepackage{booktabs}`. The text of cells is escaped. With a caption it is a `table`
    that can be referred to as `tab:LABEL`; it needs `graphicx`, too, which makes it as narrow as a
    line where it is wider.
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
    if caption:
        name = re.sub(r"[^\w-]+", "-", label, flags=re.ASCII).replace("_", "-")
        above = [r"\begin{table}", r"\centering", rf"\caption{{{_escaped(caption)}}}"]
        above += [rf"\label{{tab:{name}}}", _FITTED]
        lines = [*above, *lines[:-1], f"{lines[-1]}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(_escaped(_MINUS.sub("\N{MINUS SIGN}", one)) for one in cells) + r" \\"


def _escaped(cell: str) -> str:
    return _SPECIAL.sub(lambda found: _WORDS.get(found[0], "\\" + found[0]), cell)


def write_markdown_table(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str
) -> None:
    """Write a table below its caption: names in the first column to the left, figures to the right.

    The caption is one paragraph of plain text.
    """
    rule = ["---", *(["---:"] * (len(header) - 1))]
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in (header, rule, *rows)]
    atomic_write(path, "\n".join([_cell(caption), "", *lines]) + "\n")


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
