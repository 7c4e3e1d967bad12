"""Options on what a command hands back, and how often chance is drawn for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Samples = Annotated[int, typer.Option("--samples", min=100, help="How often chance is drawn anew.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of these draws.")]


def output_option(what: str) -> Any:
    """Return `--output`, short `-o`: where every command that writes does so."""
    return typer.Option("--output", "-o", help=what)


Output = Annotated[
    Path | None, output_option("Folder for tables (CSV, LaTeX) and figures (SVG, PNG).")
]
