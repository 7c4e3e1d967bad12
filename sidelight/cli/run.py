"""Commands `run`, `split`, `link` and `settings`: make runs, and list the settings of one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import Note, Result, Shown, out
from sidelight.cli.options.inputs import (
    WHERE_IT_WAS,
    WITH_REPLIES,
    Config,
    Overrides,
    Track,
    TrackWithNuggets,
    index_option,
    interrupted,
    output_option,
    topics_option,
)
from sidelight.cli.options.judges import JUDGE, ExampleFolder, ExampleRuns
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    AtOnce,
    Estimate,
    ModelCalls,
    RunCache,
    asks_models,
    cache_option,
    model_option,
    parallel_option,
)
from sidelight.cli.options.self_evaluation import JudgeModel, RunRubrics, SelfJudging, with_judge
from sidelight.cli.progress import progress_bar
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.config.load import SettingDescription
    from sidelight.config.settings import Settings
    from sidelight.schemas.topic import Topic


@asks_models
@interrupted(WHERE_IT_WAS)
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
) -> Result:
    """Work on every topic and write the submission files of the track."""
    from sidelight.cli.run_report import Judged, Judging, run_result
    from sidelight.config.load import load_settings
    from sidelight.errors import UsageError
    from sidelight.formats.topics import read_topics
    from sidelight.index.folder import open_index
    from sidelight.tracks import load_track
    from sidelight.wiring.run import make_run

    changes = with_judge(overrides or [], judge_model)
    settings = load_settings(config, changes)
    judging = Judging(judge, rubrics, allow_self_judging, examples, example_run or ())
    judging.check(settings)
    todo = read_topics(topics, load_track(settings.track))
    if unknown := set(topic or ()) - {one.topic_id for one in todo}:
        raise UsageError(f"--topic {min(unknown)}: {topics} has no such topic")
    wanted = [one for one in todo if not topic or one.topic_id in topic]
    if estimate:
        return _estimate(settings, wanted, judged=judge is not None)
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
    seconds, judged = time.monotonic() - started, Judged()
    if judge and (summary.done or summary.kept):
        left = calls.less(access.budget.totals)
        passed_on = {
            "--config": config,
            "--base-url": left.base_url,
            "--cache": cache,
            "--max-calls": left.max_calls,
            "--max-tokens": left.max_tokens,
        }
        judged = judging.evaluate(
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
    return run_result(summary, settings, seconds, access.retries, judged)


def _estimate(settings: Settings, topics: Sequence[Topic], *, judged: bool) -> Result:
    from sidelight.cli.run_report import estimate_shown
    from sidelight.wiring.estimate import estimate_run

    estimate = estimate_run(settings, topics)
    shown = estimate_shown(estimate)
    if judged:
        told = "Judging comes on top: once the run is made, `sidelight evaluate --estimate` counts "
        shown.append(Note(f"{told}its calls.", on_stderr=True, always=True))
    return Result(estimate.model_dump(), shown)


_MOST_MODELS = 2


@asks_models
@interrupted(WITH_REPLIES)
def split(  # long: half of it are options
    *,
    topics: Annotated[Path, topics_option("The narratives: the track's topics file.")],
    models: Annotated[
        list[str], model_option("Ask this model; a second one revises what the first drafts.")
    ],
    output: Annotated[Path, output_option("Topics file to write (JSONL), with sub-questions.")],
    cache: Annotated[Path, cache_option("Folder of the models' replies.")],
    track: TrackWithNuggets = None,
    calls: ModelCalls,
    at_once: AtOnce = DEFAULT_AT_ONCE,
) -> None:
    """Split narratives into at most ten sub-narratives each: a draft, and its revision."""
    from sidelight.cli.options.inputs import track_of_scale
    from sidelight.errors import UsageError
    from sidelight.formats.topics import read_topics, write_narratives
    from sidelight.schemas.topic import Narrative
    from sidelight.wiring.run import split_narratives

    if len(models) > _MOST_MODELS:
        raise UsageError("expected one model, or one that drafts and one that revises")
    read = read_topics(topics, track_of_scale("nuggets", track))
    narratives = [one for one in read if isinstance(one, Narrative)]
    access = calls.access(cache)
    with progress_bar("narratives", total=len(narratives)) as advance:
        found = split_narratives(narratives, models, access, at_once, lambda: advance(1))
    write_narratives(output, found)
    total = sum(len(one.sub_questions) for one in found)
    out.print(
        f"{counted(total, 'sub-narrative')} of {counted(len(found), 'narrative')}: {output}",
        markup=False,
    )


def link(
    run: Annotated[Path, typer.Argument(help="A run of cited texts.")],
    *,
    index: Annotated[Path, index_option("Folder that holds the cited segments.")],
    output: Annotated[Path, output_option("File to write: a report a line, citing addresses.")],
    track: Track = DEFAULT_TRACK,
) -> None:
    """Write a run with the addresses of the pages that it cites, for readers on the web."""
    from sidelight.errors import InputError
    from sidelight.formats.runs.linked_reports import LINKED_REPORTS, linked
    from sidelight.formats.runs.submission import Delivery, run_format
    from sidelight.index.folder import open_index
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.topic import Narrative
    from sidelight.tracks import load_track

    read = run_format(load_track(track).cited_text).read(run)
    if len(read.run_ids) != 1:
        raise InputError(
            f"{run}: expected one run in the file; found {len(read.run_ids)}",
            remedy="Put each run in a file of its own.",
        )
    docstore = open_index(index).docstore
    cited = {
        name
        for report in read.reports
        for sentence in report.responses
        for name in sentence.citations
    }
    if unknown := sorted(name for name in cited if name not in docstore):
        raise InputError(
            f"{run}: cites {unknown[0]}, which is not in {index}",
            remedy="Give the index that the run was made from.",
        )
    addresses = {one.segment_id: one.url for one in docstore.get_many(sorted(cited))}
    lost = sum(not address for address in addresses.values())
    delivered = (
        # Of a topic the file has the id alone.
        Delivery(
            Narrative(topic_id=report.metadata.topic_id, narrative=""),
            linked(report.responses, addresses),
        )
        for report in read.reports
    )
    LINKED_REPORTS.write(output, RunIdentity(team_id="", run_id=read.run_ids[0]), delivered)
    told = f"; {counted(lost, 'segment')} without an address, cited no more" if lost else ""
    out.print(f"{counted(len(read.reports), 'report')}: {output}{told}", markup=False)


def settings() -> Result:
    """Print every setting of a run: type, default, range, unit, and what it does."""
    from sidelight.config.load import describe_settings

    described = describe_settings()
    shown: list[Shown] = []
    for one in described:
        shown += [Note(one.name, "bold"), f"    {_kind(one)}\n    {one.description}"]
    return Result([one._asdict() for one in described], shown)


def _kind(one: SettingDescription) -> str:
    """Return the type, the unit, the range and the default, as far as there are any."""
    default = "must be given" if one.required else f"default {one.shown_default}"
    return "; ".join(filter(None, (one.type, one.unit, one.range, default)))
