"""`sidelight judge`: label runs against rubrics."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import err, out, print_json

if TYPE_CHECKING:
    from sidelight.evaluation.manifest import JudgingManifest


class Task(StrEnum):
    """What the runs hold."""

    TASK1 = "task1"
    TASK2 = "task2"


def judge(
    runs: Annotated[list[Path], typer.Argument(help="Run files; the file name is the run tag.")],
    *,
    task: Annotated[Task, typer.Option("--task", help="What the runs hold.")],
    rubrics: Annotated[Path, typer.Option("--rubrics", help="Folder of rubrics (*.json).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the assessments.")],
    name: Annotated[str, typer.Option("--judge", help="Which judge.")] = "embedded",
    examples: Annotated[
        Path | None,
        typer.Option(
            "--examples",
            help="Labelled runs to learn from: human_rubrics/, human_assessments/ and runs/, "
            "as the organizers lay them out.",
        ),
    ] = None,
    example_run: Annotated[
        list[str] | None,
        typer.Option("--example-run", help="Learn from this run only; repeat for more."),
    ] = None,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Compare words without an encoder.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
) -> None:
    """Label runs without people, and say how well the judge agrees with people."""
    from sidelight.errors import UsageError
    from sidelight.evaluation.assess import judge_question_runs, judge_report_runs
    from sidelight.evaluation.examples import read_examples
    from sidelight.formats.rubrics import read_rubrics
    from sidelight.formats.task1 import read_question_run
    from sidelight.formats.task2 import read_report_run
    from sidelight.registry import load

    if example_run and examples is None:
        raise UsageError("--example-run names a run of --examples, which was not given")
    judge_class = load("judge", name)
    known = read_rubrics(rubrics)
    labelled = read_examples(examples, example_run or ()) if examples else None
    encode, encoder_name = None, ""
    if not words_only:
        from sidelight.index.encoder import Encoder

        encoder = Encoder()
        encode, encoder_name = encoder.encode_documents, encoder.name
    bound = judge_class(known, labelled, encode, encoder_name)
    if task is Task.TASK1:
        question_runs = [read_question_run(path) for path in runs]
        work = judge_question_runs(bound, known, question_runs, labelled, output)
    else:
        report_runs = [read_report_run(path) for path in runs]
        work = judge_report_runs(bound, known, report_runs, labelled, output)
    _report(asyncio.run(work), task, output, as_json=as_json)


def _report(manifest: JudgingManifest, task: Task, output: Path, *, as_json: bool) -> None:
    if as_json:
        print_json(manifest.model_dump())
        return
    n_runs = len(manifest.runs[task.value])
    out.print(
        f"{n_runs} runs judged on {manifest.n_topics} topics by {manifest.label}; "
        f"{manifest.n_unjudged[task.value]} verdicts could not be had.",
        markup=False,
    )
    for what, agreement in manifest.agreement.items():
        kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.3f}"
        out.print(
            f"agreement with people on {what}: raw {agreement.raw:.3f}, kappa {kappa} "
            f"({agreement.n_labels} labels, {agreement.n_topics} topics, each held out)",
            markup=False,
        )
    if not manifest.agreement:
        err.print("no labelled examples: the judge went by fixed thresholds", style="yellow")
    out.print(f"  {output}", markup=False)
