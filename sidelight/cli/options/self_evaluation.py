"""Options of the commands that judge a run of this program, and checks of who may judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.options.inputs import rubrics_option

if TYPE_CHECKING:
    from sidelight.config.settings import Settings

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


def check_drafts(settings: Settings, rubrics: Path | None) -> None:
    """Refuse, before anything is done, to judge a run by drafts that it does not make.

    Args:
        settings: Of the run.
        rubrics: Folder of rubrics; None for those that the run drafts.

    Raises:
        UsageError: The run is to be judged by its drafts, and its roles draft none.
    """
    from sidelight.errors import UsageError

    if rubrics is None and (settings.roles.draft_rubric or settings.roles.default) == "extractive":
        raise UsageError(
            "without --rubrics, a run is judged by the rubrics it drafted itself; the roles of "
            "this run draft none, and judging drafts none either",
            remedy="Give rubrics with --rubrics DIR; they are read after generation.",
        )
