"""Command `judge`: label runs against rubrics, and report agreement with people."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.agree.tables import decimal
from sidelight.cli.console import Result, Shown, warning
from sidelight.cli.options.inputs import (
    WITH_REPLIES,
    Data,
    Rubrics,
    Track,
    interrupted,
    output_option,
)
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
    articles_of,
    read_labelled,
    required,
)
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    REPLIES,
    AtOnce,
    Cache,
    Estimate,
    ModelCalls,
    asks_models,
)
from sidelight.cli.progress import progress_bar
from sidelight.evaluation.labelling.judge import Mode
from sidelight.formats.data_folder import DataPart
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.judged_runs import JudgingManifest


@asks_models
@interrupted(WITH_REPLIES)
def judge(  # long: half of it are options
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
            "--min-confidence",
            min=0,
            max=1,
            help="Embedded: leave labels unjudged whose credit is less likely than this.",
        ),
    ] = 0.0,
    model: Models = None,
    calls: ModelCalls,
    topics: Topics = None,
    mode: QuestionMode = Mode.PAIRWISE,
    cache: Cache = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
    estimate: Estimate = False,
) -> Result:
    """Label runs without people, and say how well the judge agrees with people."""
    from sidelight.cli.evaluation_report import estimate_result
    from sidelight.evaluation.labelling.judged_runs import assess_runs, judge_runs
    from sidelight.evaluation.labelling.run_kinds import read_task_runs
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.tracks import load_track
    from sidelight.wiring.judges import JudgeInputs, open_encoder, set_up_judge
    from sidelight.wiring.models import models_by_name

    rules = load_track(track)
    known = read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales)
    setup = set_up_judge(
        name,
        JudgeInputs(
            known,
            read_labelled(examples, example_run),
            encoder=None if words_only else open_encoder,
            articles=articles_of(topics, data),
            mode=mode,
            min_confidence=min_confidence,
        ),
        models_by_name(model or [], at_once),
    )
    given = read_task_runs(rules.task(task), runs, known)
    if estimate:
        cost = setup.estimate(partial(assess_runs, given=given), given.n_labels)
        return estimate_result(cost, at_once)
    access = calls.access(cache or output / REPLIES)
    with progress_bar("labels", total=given.n_labels) as advance:
        work = partial(judge_runs, given=given, folder=output, on_labels=advance)
        manifest = asyncio.run(setup.perform(access, work))
    return _result(manifest, task, output)


def _result(manifest: JudgingManifest, task: str, output: Path) -> Result:
    shown: list[Shown] = [
        (
            f"{counted(len(manifest.runs[task]), 'run')} judged on "
            f"{counted(manifest.n_topics, 'topic')} by {manifest.label}; "
            f"{counted(manifest.n_unjudged[task], 'verdict')} could not be had."
        )
    ]
    for what, agreement in manifest.agreement.items():
        new_runs = "unknown, for there is one run"
        if agreement.raw_new_runs is not None:
            new_runs = (
                f"raw {agreement.raw_new_runs:.3f}, kappa {decimal(agreement.kappa_new_runs)} "
                f"({counted(agreement.n_runs, 'run')})"
            )
        shown.append(
            f"agreement with people on {what}: raw {agreement.raw:.3f}, "
            f"kappa {decimal(agreement.kappa)} ({counted(agreement.n_labels, 'label')}, "
            f"{counted(agreement.n_topics, 'topic')}, each held out); runs held out, too: "
            f"{new_runs}"
        )
    for run_tag, topics in manifest.over_limits[task].items():
        topic_id, over = next(iter(topics.items()))
        more = f" (and {counted(len(topics) - 1, 'topic')} more)" if len(topics) > 1 else ""
        shown.append(
            warning(
                f"warning: run {run_tag}, topic {topic_id}: {over}; the rest was not judged{more}"
            )
        )
    if not manifest.example_run_tags:
        shown.append(
            warning(
                "no labelled examples: the judge was shown none"
                if manifest.instrument
                else "no labelled examples: questions were labelled by fixed thresholds"
            )
        )
    return Result(manifest.model_dump(), [*shown, f"  {output}"])
