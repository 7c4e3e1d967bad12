"""Tables in Markdown, as GitHub shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.files import atomic_write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def write_markdown_table(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table: the first column to the left, the others, figures, to the right."""
    rule = ["---", *(["---:"] * (len(header) - 1))]
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in (header, rule, *rows)]
    atomic_write(path, "\n".join(lines) + "\n")


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
