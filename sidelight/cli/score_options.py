"""Options that several `sidelight score` commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from sidelight.evaluation.uncertainty import Interval

Rubrics = Annotated[Path, typer.Option("--rubrics", help="Folder of rubrics (*.json).")]
Assessments = Annotated[
    Path, typer.Option("--assessments", help="CSV of labels, by people or by a judge.")
]
Compound = Annotated[
    Path | None, typer.Option("--compound", help="CSV of compound verdicts; no filter if none.")
]
Merge = Annotated[
    bool,
    typer.Option("--merge", help="Where labels conflict: contradicts, supports, partial, none."),
]
Track = Annotated[str, typer.Option("--track", help="Whose number of questions to expect.")]
Samples = Annotated[
    int, typer.Option("--samples", min=100, help="How often topics or signs are drawn anew.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of these draws.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Folder for the result files.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

DEFAULT_TRACK = "dragun2025"
DEFAULT_SAMPLES = 10_000


class Sampling(NamedTuple):
    """How chance was drawn; what a reader needs to get the same figures."""

    samples: int
    seed: int

    def __str__(self) -> str:
        return f"{self.samples} samples, seed {self.seed}"


def interval_cell(interval: Interval | None) -> str:
    """Return an interval as a table shows it."""
    return f"[{interval.low:.4f}, {interval.high:.4f}]" if interval else "-"
