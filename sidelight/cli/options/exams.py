"""Options of the commands about passages graded by banks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.cli.options.inputs import qrels_option, run_option

GradedPath = Annotated[
    Path, typer.Argument(metavar="GRADED", help="Graded passages: JSON lines, plain or .gz.")
]
GraderName = Annotated[
    str | None,
    typer.Option("--grader", help="Whose ratings count: PROMPT or PROMPT@MODEL, as in the file."),
]
AtLeast = Annotated[
    int, typer.Option("--at-least", min=1, help="Grade that at least so many items reach.")
]


def min_grade_option(what: str) -> Any:
    """Return `--min-grade`."""
    return typer.Option("--min-grade", help=what)


MinGrade = Annotated[
    int | None, min_grade_option("Lowest grade that is relevant; as the track has it.")
]
MinJudgment = Annotated[
    int | None,
    typer.Option("--min-judgment", help="Lowest official judgment that is relevant; likewise."),
]
MoreRuns = Annotated[
    list[Path] | None,
    run_option("One more run over the same passages, six columns; repeat."),
]
OfficialQrels = Annotated[
    Path | None,
    qrels_option("Official judgments; those in the file by default."),
]
BankPath = Annotated[Path, typer.Argument(metavar="BANK", help="A bank: JSON lines, plain or .gz.")]


def bank_option(what: str) -> Any:
    """Return `--bank`."""
    return typer.Option("--bank", help=what)


def depth_option(what: str) -> Any:
    """Return `--depth`."""
    return typer.Option("--depth", min=1, help=what)


def lowest_relevant(track: str, scale: str, given: int | None) -> int:
    """Return an option, or the lowest label that counts as the highest does on fewer labels.

    Args:
        track: Whose scales apply.
        scale: Of what the option is a label.
        given: The option.
    """
    from sidelight.tracks import load_track

    if given is not None:
        return given
    labels = load_track(track).scales[scale]
    top = labels.coarse(labels.highest)
    return min(int(name) for name in labels.names if labels.coarse(name) == top)
