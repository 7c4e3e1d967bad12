"""What `sidelight run --judge` and `sidelight evaluate` share: options, and who may judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.options.inputs import rubrics_option

RunRubrics = Annotated[
    Path | None,
    rubrics_option("Folder of rubrics, read after generation; those the run drafted if not given."),
]
JudgeModel = Annotated[
    str | None,
    typer.Option("--judge-model", help="Prompted: ask this model; short for models.judge.name."),
]
SelfJudging = Annotated[
    bool, typer.Option("--allow-self-judging", help="Let the model that wrote the run judge it.")
]

SCORES = "scores"
"""Folder of the scores within a run directory."""


def with_judge(overrides: list[str], model: str | None) -> list[str]:
    """Return overrides of settings that name the judge's model, too."""
    return overrides if model is None else [*overrides, f'models.judge.name="{model}"']
