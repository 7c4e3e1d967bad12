"""`sidelight evaluate`: judge a finished run, and find where it lost credit."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import print_json, progress_bar
from sidelight.cli.options.inputs import Config, Overrides, index_option
from sidelight.cli.options.judges import (
    ExampleFolder,
    ExampleRuns,
    JudgeName,
    WordsOnly,
    read_labelled,
)
from sidelight.cli.options.models import (
    REPLIES,
    BaseUrl,
    Cache,
    Estimate,
    MaxCalls,
    MaxTokens,
    Offline,
    model_access,
)
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.options.self_evaluation import (
    SCORES,
    JudgeModel,
    RunRubrics,
    SelfJudging,
    check_judge,
    with_judge,
)
from sidelight.evaluation.labelling.question_similarity.mode import Mode

if TYPE_CHECKING:
    from sidelight.cli.judge.prompted import Panel
    from sidelight.config.settings import ServerSettings
    from sidelight.evaluation.labelling.base import Judge
    from sidelight.runs.self_evaluation.evaluate import Material, SelfEvaluation


def evaluate(
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    *,
    index: Annotated[Path, index_option("The index that the run was made with.")],
    name: JudgeName = "embedded",
    rubrics: RunRubrics = None,
    judge_model: JudgeModel = None,
    allow_self_judging: SelfJudging = False,
    examples: ExampleFolder = None,
    example_run: ExampleRuns = None,
    words_only: WordsOnly = False,
    config: Config = None,
    overrides: Overrides = None,
    base_url: BaseUrl = None,
    output: Annotated[
        Path | None,
        output_option("Folder for the scores; RUN/scores if not given."),
    ] = None,
    cache: Cache = None,
    offline: Offline = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    estimate: Estimate = False,
    as_json: Json = False,
) -> None:
    """Judge a finished run with its own files, score it, and say where it lost credit.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.cli.judge.evaluate_report import print_evaluation, summarise
    from sidelight.config.load import load_settings
    from sidelight.errors import UsageError
    from sidelight.index.folder import open_index
    from sidelight.registry import load
    from sidelight.runs.directory import RunDirectory
    from sidelight.runs.self_evaluation.evaluate import (
        articles_of,
        collect,
        evaluate_run,
        read_results,
    )
    from sidelight.runs.self_evaluation.rubrics import (
        DRAFTED,
        drafted_rubrics,
        given_rubrics,
        write_drafted,
    )
    from sidelight.runs.self_evaluation.scores import write_scores

    settings = load_settings(config, with_judge(overrides or [], judge_model))
    folder, directory = open_index(index), RunDirectory(run)
    results = read_results(directory, folder.manifest.fingerprint())
    made_with = load_settings(directory.config)
    model = check_judge(name, settings, made_with.models.writer, allow_self=allow_self_judging)
    if estimate and model is None:
        raise UsageError("--estimate is for a judge that asks: --judge prompted")
    known = given_rubrics(rubrics, results) if rubrics else drafted_rubrics(results.values())
    labelled = read_labelled(examples, example_run)
    judge_class = load("judge", name)
    material = collect(directory, results, known, folder.docstore.get_many, judge_class.kind)
    destination = output or run / SCORES
    if rubrics and (destination / DRAFTED).exists():
        raise UsageError(
            f"{destination} holds scores by rubrics that the run drafted itself",
            remedy="Choose another folder with -o, or delete that one.",
        )

    async def evaluated(judge: Judge) -> SelfEvaluation:
        if rubrics is None:
            write_drafted(destination / DRAFTED, known)
        with progress_bar("labels", total=material.n_labels) as advance:
            return await evaluate_run(
                judge, material, labelled, destination, made_with.track, advance
            )

    if model is None:
        from sidelight.cli.judge.embedded import make_embedded

        embedded = make_embedded(judge_class, known, labelled, words_only=words_only)
        embedded.prepare(stage.report for stage in material.stages)
        evaluation = asyncio.run(evaluated(embedded))
    else:
        from sidelight.cli.judge.ask_models import ask_configured
        from sidelight.cli.judge.prompted import Panel

        articles = articles_of(results)
        panel = Panel(judge_class, (model.name,), articles, labelled, Mode.PAIRWISE)
        if estimate:
            _estimate(panel, material, settings.servers.get(model.server), as_json=as_json)
            return
        access = model_access(
            cache or destination / REPLIES,
            base_url=base_url,
            offline=offline,
            max_calls=max_calls,
            max_tokens=max_tokens,
        )
        evaluation = asyncio.run(
            ask_configured(settings, [model], access, lambda asked: evaluated(panel.judge(asked)))
        )
    write_scores(evaluation.scores, destination)
    outcome = summarise(
        evaluation,
        destination,
        drafted=rubrics is None,
        unjudged_topics=set(results) - set(known),
    )
    if as_json:
        print_json(outcome)
    else:
        print_evaluation(outcome)


def _estimate(
    panel: Panel, material: Material, server: ServerSettings | None, *, as_json: bool
) -> None:
    from sidelight.cli.judge.estimate import report_estimate
    from sidelight.cli.judge.prompted import estimate_cost
    from sidelight.config.settings import ServerSettings
    from sidelight.runs.self_evaluation.evaluate import assess_all

    at_once = (server or ServerSettings()).max_concurrency
    work = partial(assess_all, material=material)
    report_estimate(
        estimate_cost(panel, work, material.n_labels, at_once), at_once, as_json=as_json
    )
