"""Queries as the RUBRIC workbench has them: one JSON object, the text of each query by its id."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from sidelight.files import atomic_write
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import decode_unique, read_bytes
from sidelight.formats.topics.queries import read_queries

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_query_texts(path: Path) -> dict[str, str]:
    """Read the queries of a file, by id: one JSON object, or `id<TAB>text` lines.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: It is neither, a query has no text, or an id occurs twice.
    """
    content = read_bytes(path).removeprefix(BOM_UTF8)
    if not content.lstrip().startswith(b"{"):
        return {query.query_id: query.text for query in read_queries(path)}
    findings = Findings(path)
    queries = decode_unique(content.decode("utf-8", errors="replace"), None, findings) or {}
    for query_id, text in queries.items():
        if not (query_id.strip() and isinstance(text, str) and text.strip()):
            findings.error(
                "query",
                None,
                expected="the text of a query under its id",
                found=f"{quoted(text)} under {quoted(query_id)}",
                remedy="Give each query its words.",
            )
    findings.raise_errors()
    return queries


def write_query_texts(path: Path, queries: Mapping[str, str]) -> None:
    """Write queries as one JSON object."""
    atomic_write(path, json.dumps(dict(queries)) + "\n")
