"""Judging at the end of `sidelight run`, in a process of its own.

The process that generates never reads a rubric: it checks what can be checked without, and later
hands the finished files over to `sidelight evaluate`.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import typer

from sidelight.build.judges import judge_model
from sidelight.cli.options.self_evaluation import check_drafts
from sidelight.cli.terminal.progress import without_lines
from sidelight.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sidelight.config.settings import Settings


class Judging(NamedTuple):
    """What a run is judged with, as far as those who generate may know it.

    Attributes:
        judge: Name of the judge; None for a run that is not judged.
        rubrics: Where the rubrics are; None for those the run drafts.
        allow_self: Whether the model that writes may judge.
        examples: Where labelled runs are.
        example_runs: Those of them that the judge is shown; all if there are none.
    """

    judge: str | None
    rubrics: Path | None
    allow_self: bool
    examples: Path | None
    example_runs: Sequence[str]

    def check(self, settings: Settings) -> None:
        """Find what judging will lack before anything is paid for.

        Raises:
            UsageError: Something is missing, or the writer would judge itself.
        """
        if self.judge is None:
            if any(self[1:]):
                raise UsageError(
                    "there are options for a judge, and no judge",
                    remedy="Name one: --judge embedded, or --judge prompted",
                )
            return
        judge_model(
            self.judge,
            settings,
            settings.models.writer,
            examples=self.examples is not None,
            allow_self=self.allow_self,
        )
        check_drafts(settings, self.rubrics)
        for folder in (self.rubrics, self.examples):
            if folder is not None and not folder.is_dir():
                raise UsageError(f"there is no folder {folder}")

    def evaluate(self, run: Path, index: Path, passed_on: Sequence[str]) -> dict[str, Any]:
        """Judge a finished run and return what it came to.

        Args:
            run: Run directory.
            index: The index it was made with.
            passed_on: Options of `sidelight run` that `sidelight evaluate` has, too.

        Raises:
            typer.Exit: It failed, and has said why.
        """
        named = (
            ("--judge", self.judge),
            ("--rubrics", self.rubrics),
            ("--examples", self.examples),
            *(("--example-run", tag) for tag in self.example_runs),
        )
        command = [
            # -P: no module of the working folder takes the place of an installed one.
            *(sys.executable, "-P", "-m", "sidelight.cli.main", "evaluate", str(run), "--json"),
            *("--index", str(index)),
            *(part for name, value in named if value for part in (name, str(value))),
            *(("--allow-self-judging",) if self.allow_self else ()),
            *passed_on,
        ]
        with without_lines():  # it has its own
            done = subprocess.run(  # noqa: S603 - this program, with options it has checked
                command, stdout=subprocess.PIPE, check=False
            )
        if done.returncode:
            raise typer.Exit(done.returncode)
        outcome: dict[str, Any] = orjson.loads(done.stdout)
        return outcome
