"""Queries: `query_id<TAB>text`, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_lines
from sidelight.schemas.investigation.search import Query

if TYPE_CHECKING:
    from pathlib import Path


def read_queries(path: Path) -> list[Query]:
    """Read queries in the order of the file.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has no id, no tab or no text, or an id occurs twice.
    """
    findings = Findings(path)
    queries: dict[str, Query] = {}
    for line, content in read_lines(path):
        query_id, _, text = content.partition("\t")
        if not query_id.strip() or not text.strip():
            findings.error(
                "query",
                line,
                expected="an id, a tab and the text of the query",
                found=quoted(content),
                remedy="Separate the id from the text by one tab.",
            )
        elif query_id in queries:
            findings.error(
                "query-duplicate",
                line,
                expected="each query id once",
                found=f"a second {quoted(query_id)}",
                remedy="Renumber the queries.",
            )
        else:
            queries[query_id] = Query(query_id=query_id, text=text.strip())
    findings.raise_errors()
    return list(queries.values())
