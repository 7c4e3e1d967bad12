"""CSV files with a header row, read so that text stays text.

The usual readers turn `N/A`, `None` and an empty cell into a missing number, and a column of ranks
into floats as soon as one is missing. The `csv` module changes nothing.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import open_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Row(NamedTuple):
    """One record.

    Attributes:
        line: 1-based number of the line it begins on.
        cells: Text by column name.
    """

    line: int
    cells: dict[str, str]


def read_table(path: Path) -> tuple[tuple[str, ...], list[Row]]:
    """Return the column names and the records of a CSV file; blank lines are left out.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: It is not UTF-8 or not CSV, it has no header, a column name occurs twice,
            or a record has more or fewer cells than the header.
    """
    file = open_text(path)
    findings = Findings(path, file.problems)
    findings.raise_errors()
    records = list(_records([line.text for line in file.lines], findings))
    header = tuple(records[0][1]) if records else ()
    if len(set(header)) < len(header) or not header:
        findings.error(
            "csv-header",
            1,
            expected="a first line of different column names",
            found=quoted(",".join(header)),
            remedy="Add the header line, or rename the column that occurs twice.",
        )
    rows = []
    for line, cells in records[1:]:
        if len(cells) != len(header):
            findings.error(
                "csv-cells",
                line,
                expected=f"{len(header)} cells",
                found=f"{len(cells)}",
                remedy="Quote cells that hold commas, quotes or line breaks.",
            )
        else:
            rows.append(Row(line, dict(zip(header, cells, strict=True))))
    findings.raise_errors()
    return header, rows


def _records(lines: list[str], findings: Findings) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((text + "\n" for text in lines), strict=True)
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
