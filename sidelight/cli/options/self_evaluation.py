"""What `sidelight run --judge` and `sidelight evaluate` share: options, and who may judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.options.inputs import rubrics_option
from sidelight.errors import UsageError

if TYPE_CHECKING:
    from sidelight.config.settings import ModelSettings, Settings

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


def check_judge(
    name: str, settings: Settings, writer: ModelSettings | None, *, allow_self: bool
) -> ModelSettings | None:
    """Return the model that a judge asks; None for a judge that asks none.

    Args:
        name: Of the judge, as registered.
        settings: Name the judge's model.
        writer: The model that writes the run.
        allow_self: Whether the two may be the same.

    Raises:
        UsageError: There is no such judge, no model for it to ask, a model it does not ask, or it
            is the writer's.
    """
    from sidelight.registry import load

    model = settings.models.judge
    if load("judge", name).kind != "prompted":
        return None
    if model is None:
        raise UsageError(
            "a prompted judge needs a model",
            remedy="Name it with --judge-model NAME, or as models.judge in the configuration.",
        )
    if writer is not None and writer.name == model.name and not allow_self:
        raise UsageError(
            f"{model.name} wrote the run and would judge itself; models favour their own texts",
            remedy="Name another with --judge-model, or add --allow-self-judging.",
        )
    return model
