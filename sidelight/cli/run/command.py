"""`sidelight run`: topics to a run directory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import err
from sidelight.cli.options.inputs import Config, Overrides, index_option, topics_option
from sidelight.cli.options.judges import JUDGE, ExampleFolder, ExampleRuns
from sidelight.cli.options.models import (
    Estimate,
    ModelCalls,
    RunCache,
    asks_models,
    parallel_option,
)
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.options.self_evaluation import JudgeModel, RunRubrics, SelfJudging, with_judge
from sidelight.cli.terminal.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.config.settings import Settings
    from sidelight.schemas.topic import Topic


@asks_models
def run(  # long: half of it are its options
    *,
    topics: Annotated[Path, topics_option()],
    index: Annotated[Path, index_option()],
    config: Config = None,
    output: Annotated[
        Path | None, output_option("Run directory; runs/<run_id> when not given.")
    ] = None,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", help="Only this topic id; repeat for more.")
    ] = None,
    parallel: Annotated[
        int | None, parallel_option("Topics worked on at once; 4, or 32 where a model is asked.")
    ] = None,
    calls: ModelCalls,
    cache: RunCache = None,
    overrides: Overrides = None,
    judge: Annotated[str | None, JUDGE] = None,
    rubrics: RunRubrics = None,
    judge_model: JudgeModel = None,
    allow_self_judging: SelfJudging = False,
    examples: ExampleFolder = None,
    example_run: ExampleRuns = None,
    estimate: Estimate = False,
    as_json: Json = False,
) -> None:
    """Work on every topic and write the submission files of the track.

    Interrupted at any moment, the same command goes on where it was.
    """
    from sidelight.build.run import make_run
    from sidelight.cli.run.judging import Judging
    from sidelight.cli.run.report import report_run
    from sidelight.config.load import load_settings
    from sidelight.errors import UsageError
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.index.folder import open_index
    from sidelight.tracks import load_track

    changes = with_judge(overrides or [], judge_model)
    settings = load_settings(config, changes)
    judging = Judging(judge, rubrics, allow_self_judging, examples, example_run or ())
    judging.check(settings)
    todo = read_topics(topics, load_track(settings.track))
    if unknown := set(topic or ()) - {one.topic_id for one in todo}:
        raise UsageError(f"--topic {min(unknown)}: {topics} has no such topic")
    wanted = [one for one in todo if not topic or one.topic_id in topic]
    if estimate:
        _show_estimate(settings, wanted, judged=judge is not None, as_json=as_json)
        return
    folder = open_index(index)
    destination = output or Path("runs") / settings.submission.run_id
    access = calls.access(cache or destination / "cache")
    started = time.monotonic()
    with progress_bar("topics", total=len(wanted)) as advance:
        summary = make_run(
            todo,
            settings,
            folder,
            destination,
            access,
            only=topic or (),
            parallel=parallel,
            on_topic=lambda _: advance(1),
        )
    seconds, evaluation = time.monotonic() - started, None
    try:
        if judge and (summary.done or summary.kept):
            left = calls.less(access.budget.totals)
            passed_on = {
                "--config": config,
                "--base-url": left.base_url,
                "--cache": cache,
                "--max-calls": left.max_calls,
                "--max-tokens": left.max_tokens,
            }
            evaluation = judging.evaluate(
                destination,
                index,
                [
                    *(f"{name}={value}" for name, value in passed_on.items() if value is not None),
                    *(f"--set={change}" for change in changes),
                    # They are the user's own words, here or in the configuration.
                    *(f"--allow-plugin={name}" for name in settings.plugins()),
                    *(["--offline"] if left.offline else []),
                ],
            )
    finally:
        report_run(summary, settings, seconds, access.retries, evaluation, as_json=as_json)
    if not summary.succeeded:
        raise typer.Exit(1)


def _show_estimate(
    settings: Settings, topics: Sequence[Topic], *, judged: bool, as_json: bool
) -> None:
    from sidelight.build.estimate import estimate_run
    from sidelight.cli.run.estimate import report_estimate

    report_estimate(estimate_run(settings, topics), as_json=as_json)
    if judged:
        err.print(
            "Judging comes on top: once the run is made, `sidelight evaluate --estimate` counts "
            "its calls."
        )
