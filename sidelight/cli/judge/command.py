"""`sidelight judge`: label runs against rubrics."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import err, out, print_json, progress_bar
from sidelight.cli.options.inputs import Data, Rubrics, Track
from sidelight.cli.options.judges import (
    ExampleFolder,
    ExampleRuns,
    JudgeName,
    Models,
    QuestionMode,
    Runs,
    RunTask,
    Topics,
    WordsOnly,
    read_labelled,
)
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    REPLIES,
    AtOnce,
    BaseUrl,
    Cache,
    Estimate,
    MaxCalls,
    MaxTokens,
    Offline,
    model_access,
)
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.options.scores import from_data, required
from sidelight.evaluation.labelling.question_similarity.mode import Mode
from sidelight.formats.data_folder import DataPart
from sidelight.tracks import DEFAULT_TRACK

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sidelight.evaluation.labelling.base import Judge
    from sidelight.evaluation.labelling.manifest import JudgingManifest


def judge(
    runs: Runs,
    *,
    task: RunTask,
    track: Track = DEFAULT_TRACK,
    data: Data = None,
    rubrics: Rubrics = None,
    output: Annotated[Path, output_option("Folder for the assessments.")],
    name: JudgeName = "embedded",
    examples: ExampleFolder = None,
    example_run: ExampleRuns = None,
    words_only: WordsOnly = False,
    min_confidence: Annotated[
        float,
        typer.Option(
            "--min-confidence", min=0, max=1, help="Embedded: leave less likely labels unjudged."
        ),
    ] = 0.0,
    model: Models = None,
    base_url: BaseUrl = None,
    topics: Topics = None,
    mode: QuestionMode = Mode.PAIRWISE,
    cache: Cache = None,
    offline: Offline = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
    estimate: Estimate = False,
    as_json: Json = False,
) -> None:
    """Label runs without people, and say how well the judge agrees with people.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.errors import UsageError
    from sidelight.evaluation.labelling import assess
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.runs.run_format import run_format
    from sidelight.registry import load
    from sidelight.schemas.task import CitedTextTask, QuestionListTask
    from sidelight.tracks import load_track

    judge_class = load("judge", name)
    if (model or estimate) and judge_class.kind != "prompted":
        raise UsageError("--model and --estimate are for a judge that asks: --judge prompted")
    known = read_rubrics(
        required(rubrics, data, DataPart.RUBRICS, "--rubrics"), load_track().scales
    )
    labelled = read_labelled(examples, example_run)
    judge_runs: Callable[..., Awaitable[JudgingManifest]]
    assess_runs: Callable[[Judge], Awaitable[object]]
    judged = load_track(track).task(task)
    if isinstance(judged, QuestionListTask):
        question_runs = [run_format(judged).read(path) for path in runs]
        n_labels = assess.count_question_labels(known, question_runs)
        assess_runs = partial(assess.assess_question_runs, rubrics=known, runs=question_runs)
        judge_runs = partial(assess.judge_question_runs, rubrics=known, runs=question_runs)
    elif isinstance(judged, CitedTextTask):
        report_runs = [run_format(judged).read(path) for path in runs]
        n_labels = assess.count_answer_labels(known, report_runs)
        assess_runs = partial(assess.assess_report_runs, rubrics=known, runs=report_runs)
        judge_runs = partial(assess.judge_report_runs, rubrics=known, runs=report_runs)
    else:
        raise UsageError(f"--task {task}: nobody judges runs of the kind {judged.kind}")
    judge_runs = partial(judge_runs, examples=labelled, folder=output)
    if judge_class.kind == "prompted":
        from sidelight.cli.judge.ask_models import ask_models
        from sidelight.cli.judge.estimate import report_estimate
        from sidelight.cli.judge.prompted import estimate_cost, seat_panel

        topics = from_data(topics, data, DataPart.TOPICS)
        panel = seat_panel(judge_class, model or [], topics, known, labelled, mode)
        if estimate:
            report_estimate(
                estimate_cost(panel, assess_runs, n_labels, at_once), at_once, as_json=as_json
            )
            return
        access = model_access(
            cache or output / REPLIES,
            base_url=base_url,
            offline=offline,
            max_calls=max_calls,
            max_tokens=max_tokens,
        )
        with progress_bar("labels", total=n_labels) as advance:
            work = ask_models(
                panel.models,
                access,
                at_once,
                lambda asked: judge_runs(panel.judge(asked), on_labels=advance),
            )
            manifest = asyncio.run(work)
    else:
        from sidelight.cli.judge.embedded import make_embedded

        bound = make_embedded(
            judge_class, known, labelled, words_only=words_only, min_confidence=min_confidence
        )
        manifest = asyncio.run(judge_runs(bound))
    _report(manifest, task, output, as_json=as_json)


def _report(manifest: JudgingManifest, task: str, output: Path, *, as_json: bool) -> None:
    if as_json:
        print_json(manifest.model_dump())
        return
    n_runs = len(manifest.runs[task])
    out.print(
        f"{n_runs} runs judged on {manifest.n_topics} topics by {manifest.label}; "
        f"{manifest.n_unjudged[task]} verdicts could not be had.",
        markup=False,
    )
    for what, agreement in manifest.agreement.items():
        kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.3f}"
        out.print(
            f"agreement with people on {what}: raw {agreement.raw:.3f}, kappa {kappa} "
            f"({agreement.n_labels} labels, {agreement.n_topics} topics, each held out)",
            markup=False,
        )
    if not manifest.example_run_tags:
        err.print(
            "no labelled examples: the judge was shown none"
            if manifest.instrument
            else "no labelled examples: the judge went by fixed thresholds",
            style="yellow",
        )
    out.print(f"  {output}", markup=False)
