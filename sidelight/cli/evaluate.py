"""Command `evaluate`: judge a finished run, score it, and find where it lost credit."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import Result
from sidelight.cli.options.inputs import (
    WITH_REPLIES,
    AllowPlugin,
    Config,
    Overrides,
    index_option,
    interrupted,
    output_option,
)
from sidelight.cli.options.judges import (
    ExampleFolder,
    ExampleRuns,
    JudgeName,
    WordsOnly,
    read_labelled,
)
from sidelight.cli.options.models import REPLIES, Cache, Estimate, ModelCalls, asks_models
from sidelight.cli.options.self_evaluation import (
    SCORES,
    JudgeModel,
    RunRubrics,
    SelfJudging,
    check_drafts,
    with_judge,
)
from sidelight.cli.progress import progress_bar


@asks_models
@interrupted(WITH_REPLIES)
def evaluate(  # long: half of it are options
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    *,
    index: Annotated[Path, index_option("The index that the run was made with.")],
    name: JudgeName = "embedded",
    rubrics: RunRubrics = None,
    model_name: JudgeModel = None,
    allow_self_judging: SelfJudging = False,
    examples: ExampleFolder = None,
    example_run: ExampleRuns = None,
    words_only: WordsOnly = False,
    config: Config = None,
    overrides: Overrides = None,
    calls: ModelCalls,
    output: Annotated[
        Path | None,
        output_option("Folder for the scores; RUN/scores if not given."),
    ] = None,
    cache: Cache = None,
    allow_plugin: AllowPlugin = None,
    estimate: Estimate = False,
) -> Result:
    """Judge a finished run with its own files, score it, and say where it lost credit.

    Without --rubrics, by those that the run drafted; none are drafted here.
    """
    from sidelight.cli.evaluation_report import estimate_result, evaluation_shown, summarise
    from sidelight.config.load import load_settings
    from sidelight.index.folder import open_index
    from sidelight.runs.directory import RunDirectory
    from sidelight.runs.self_evaluation import (
        assess_all,
        check_folder,
        collect,
        evaluate_run,
        read_finished,
    )
    from sidelight.wiring.judges import JudgeInputs, judge_model, open_encoder, set_up_judge
    from sidelight.wiring.models import AskedModels

    settings = load_settings(config, with_judge(overrides or [], model_name))
    directory = RunDirectory(run, allow_plugin or ())
    directory.read_track()  # an unfinished run has no settings to look at
    made_with = directory.read_settings()
    check_drafts(made_with, rubrics)
    folder = open_index(index)
    finished = read_finished(directory, folder.fingerprint(), rubrics)
    labelled = read_labelled(examples, example_run)
    model = judge_model(
        name,
        settings,
        made_with.models.writer,
        examples=labelled is not None,
        allow_self=allow_self_judging,
    )
    setup = set_up_judge(
        name,
        JudgeInputs(
            finished.rubrics,
            labelled,
            encoder=None if words_only else open_encoder,
            articles=finished.articles,
        ),
        AskedModels((model,), settings.servers) if model else None,
    )
    material = collect(finished, folder.docstore.get_many, setup.words_at_once)
    if estimate:
        cost = setup.estimate(partial(assess_all, material=material), material.n_labels)
        return estimate_result(cost, setup.asked.at_once)
    destination = output or run / SCORES
    check_folder(finished, destination)
    access = calls.access(cache or destination / REPLIES)
    with progress_bar("labels", total=material.n_labels) as advance:
        work = partial(evaluate_run, material=material, folder=destination, on_labels=advance)
        evaluation = asyncio.run(setup.perform(access, work))
    outcome = summarise(evaluation, finished, destination)
    return Result(outcome, evaluation_shown(outcome, finished.track))
