"""Commands `run`, `split`, `link` and `settings`: make and judge runs, and list their settings."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import orjson
import typer
from rich.text import Text

from sidelight.cli import console, options
from sidelight.cli.judge import check_judging, evaluation_shown
from sidelight.cli.progress import duration, in_lines, progress_bar
from sidelight.config.load import describe_settings, load_settings
from sidelight.config.settings import Settings
from sidelight.errors import InputError, UsageError
from sidelight.formats.runs.linked_reports import LINKED_REPORTS, linked
from sidelight.formats.runs.submission import Delivery, run_format
from sidelight.formats.topics import read_searches, write_narratives
from sidelight.formats.verdict import read_topics, track_of
from sidelight.llm.base import TOKENS_PER_SECOND
from sidelight.registry import did_you_mean
from sidelight.runs.directory import RunDirectory
from sidelight.runs.log import PromptUsage, told_fallbacks
from sidelight.runs.runner import RunSummary
from sidelight.schemas.run import RunIdentity
from sidelight.schemas.topic import Narrative, Topic
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK, load_track
from sidelight.wiring.estimate import (
    LATENCY_S,
    PromptEstimate,
    RunEstimate,
    check_asked,
    estimate_run,
    run_cost,
)
from sidelight.wiring.judges import judge_model
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import make_run, split_narratives


def run_result(
    summary: RunSummary,
    settings: Settings,
    seconds: float,
    access: ModelAccess,
    evaluation: dict[str, Any] | None,
    exit_code: int,
) -> console.Result:
    """Return what a run did and cost, what failed, what is thin, its files, and its scores.

    `seconds` is how long the run took. `evaluation` is the document of `sidelight evaluate`, None
    if there is none, and `exit_code` the code with which that ended.
    """
    kept = f", {len(summary.kept)} finished before" if summary.kept else ""
    shown: list[console.Shown] = [
        f"{counted(len(summary.done), 'topic')} in {seconds:.1f} s{kept}."
    ]
    if not summary.done and not summary.failures:
        shown = [f"No topic was left: {counted(len(summary.kept), 'topic')} finished before."]
    shown += [*usage_shown(summary, settings, access.retries), *access.refusals]
    shown += [
        console.Note(
            Text.assemble(("failed", "red"), f" {one.topic_id}: {one.error}: {one.message}"),
            on_stderr=True,
        )
        for one in summary.failures
    ]
    errors = [problem for problem in summary.problems if problem.severity == "error"]
    # Only who hands a run in needs the ids of the track's collection, which an own index lacks.
    faults = [problem for problem in errors if problem.code != "citation-pattern"]
    shown += [console.Note(str(problem), "red", on_stderr=True) for problem in faults]
    if foreign := len(errors) - len(faults):
        shown.append(
            console.warning(
                f"warning: this run cannot be handed in to the track {settings.track}: "
                f"{counted(foreign, 'citation')} of segments that its collection does not have"
            )
        )
    elif settings.submission.team_id == Settings().submission.team_id:
        shown.append(
            f"The team id is {settings.submission.team_id}, the default. A run to hand in has your "
            "own: --set submission.team_id=TEAM --set submission.run_id=TEAM-NAME"
        )
    told = told_fallbacks(summary.fallbacks)
    shown += [f"{one[0].upper()}{one[1:]} (manifest.json lists them)." for one in told]
    if summary.thin:
        shown.append(
            f"On {counted(len(summary.thin), 'topic')} little or nothing was found: what was "
            "written is valid but short (thin_topics in manifest.json)."
        )
    directory = summary.directory
    made = (*summary.files, directory.manifest, directory.traces)
    if not (summary.done or summary.kept):
        made = (directory.failures,)  # of which the others hold no topic
    shown += [f"  {path}" for path in made if path.exists()]
    document = _document(summary, settings, access)
    if evaluation:
        document["evaluation"] = evaluation
        shown += evaluation_shown(evaluation, load_track(settings.track))
    return console.Result(document, shown, exit_code or int(bool(summary.failures or faults)))


def usage_shown(summary: RunSummary, settings: Settings, retries: int) -> list[console.Shown]:
    """Return the seconds of the steps, and what each prompt asked of models."""
    shown: list[console.Shown] = []
    if seconds := summary.seconds():
        spent = ", ".join(f"{step} {time:.1f}" for step, time in seconds.items())
        shown.append(f"Seconds per step, added up over topics: {spent}.")
    usage = summary.usage()
    if not usage:
        return shown
    rows = [
        (
            prompt,
            str(sums.calls),
            str(sums.cached),
            str(sums.prompt_tokens),
            str(sums.completion_tokens),
            f"{sums.latency_s / made:.2f}" if (made := sums.calls - sums.cached) else "-",
            ", ".join(f"{kind} {n}" for kind, n in sorted(sums.failures.items())) or "-",
        )
        for (_, prompt), sums in usage.items()
    ]
    total, cost = sum(usage.values(), PromptUsage()), run_cost(settings, usage)
    return [
        *shown,
        console.PlainTable(
            (
                "prompt",
                "calls",
                "cached",
                "tokens read",
                "tokens written",
                "s per call",
                "unusable",
            ),
            rows,
        ),
        f"{counted(total.calls, 'call')}, {total.cached} of them from the cache; "
        f"{counted(total.prompt_tokens, 'token')} "
        f"read, {total.completion_tokens} written; {total.failures.total()} unusable replies, "
        f"{counted(retries, 'call')} made again by the client"
        + (f"; cost {cost:.2f}." if cost is not None else "."),
    ]


def _document(summary: RunSummary, settings: Settings, access: ModelAccess) -> dict[str, Any]:
    usage = summary.usage()
    return {
        "directory": str(summary.directory.path),
        "done": summary.done,
        "kept": summary.kept,
        "failures": [failure.model_dump() for failure in summary.failures],
        "fallbacks": summary.fallbacks,
        "thin": summary.thin,
        "problems": [problem.as_dict() for problem in summary.problems],
        "seconds": summary.seconds(),
        "calls": [
            {"model": model, "prompt": prompt}
            | {one.name: getattr(sums, one.name) for one in fields(sums)}
            for (model, prompt), sums in usage.items()
        ],
        "retries": access.retries,
        "refusals": access.refusals,
        "cost": run_cost(settings, usage),
    }


def estimate_shown(estimate: RunEstimate) -> list[console.Shown]:
    """Return what a run would come to, per prompt and in all, and what that rests on."""
    shown: list[console.Shown] = []
    if estimate.unknown:
        shown.append(
            console.warning(
                "not counted, because their performers do not say what they ask: "
                f"{', '.join(estimate.unknown)}"
            )
        )
    elif not estimate.prompts:
        return ["No role asks a model: 0 calls."]

    rows = [_row(name, one) for name, one in estimate.prompts.items()]
    rows += [_row("in all, at most", estimate.total), _row("expected", estimate.expected)]
    return [
        *shown,
        console.PlainTable(("prompt", "calls", "tokens read", "tokens written", "cost"), rows),
        (
            "At most: every round that is allowed. Expected: as two topics that people answered by "
            "hand. Reasoning is not in it, nor the savings of a server's prefix cache.\n"
            f"At most {duration(3600 * estimate.hours)} one call at a time, at {LATENCY_S:g} s a "
            f"call and {TOKENS_PER_SECOND} tokens a second, which are assumed; at least "
            f"{duration(3600 * estimate.hours_at_once)} with all slots of the servers in use."
        ),
        *([_PRICES] if estimate.total.cost is None else []),
    ]


_PRICES = (
    "For the cost, name what a million tokens read and written cost: "
    "--set servers.default.prompt_price=P --set servers.default.completion_price=Q"
)


def _row(name: str, one: PromptEstimate) -> tuple[str, ...]:
    cost = "-" if one.cost is None else f"{one.cost:.2f}"
    return (name, f"{one.calls:,}", f"{one.prompt_tokens:,}", f"{one.completion_tokens:,}", cost)


class Judging(NamedTuple):
    """What a run is judged with, as far as those who generate may know it."""

    judge: Annotated[str | None, options.JUDGE] = None
    rubrics: options.RunRubrics = None
    allow_self_judging: options.SelfJudging = False
    examples: options.ExampleFolder = None
    example_run: options.ExampleRuns = None

    def check(self, settings: Settings) -> None:
        """Find what judging will lack before anything is paid for."""
        if self.judge is None:
            if any(self[1:]):
                raise UsageError(
                    "there are options for a judge, but no judge",
                    remedy="Name one: --judge embedded, or --judge prompted",
                )
            return
        judge_model(
            self.judge,
            settings,
            settings.models.writer,
            examples=self.examples is not None,
            allow_self=self.allow_self_judging,
        )
        options.check_drafts(settings, self.rubrics)

    def evaluate(
        self, run: Path, index: Path, passed_on: Sequence[str]
    ) -> tuple[dict[str, Any] | None, int]:
        """Judge a finished run by `sidelight evaluate`, which says itself what failed.

        `passed_on` are options of `sidelight run` that `sidelight evaluate` has, too. Returns the
        document that it prints, None if it failed, and its exit code.
        """
        named = (
            ("--judge", self.judge),
            ("--rubrics", self.rubrics),
            ("--examples", self.examples),
            *(("--example-run", tag) for tag in self.example_run or ()),
        )
        command = [
            # -P: no module of the working folder takes the place of an installed one.
            *(sys.executable, "-P", "-m", "sidelight.cli.main", "evaluate", str(run), "--json"),
            *("--index", str(index)),
            *(part for name, value in named if value for part in (name, str(value))),
            *(("--allow-self-judging",) if self.allow_self_judging else ()),
            *passed_on,
        ]
        try:
            with in_lines(None):  # it has its own
                done = subprocess.run(  # noqa: S603 - this program, with options it has checked
                    command, stdout=subprocess.PIPE, check=False
                )
        except KeyboardInterrupt:
            return None, console.INTERRUPTED
        return None if done.returncode else orjson.loads(done.stdout), done.returncode


@options.takes_groups
@console.interrupted("Finished topics and model replies are kept; the same command does the rest.")
def run(  # long: half of it are its options
    *,
    topics: Annotated[Path, options.topics_option()],
    index: Annotated[Path, options.index_option()],
    config: options.Config = None,
    output: Annotated[
        Path | None, options.output_option("Run directory; runs/<run_id> when not given.")
    ] = None,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", help="Only this topic id; repeat for more.")
    ] = None,
    parallel: Annotated[
        int | None,
        options.parallel_option("Maximum concurrent topics; 4, or 32 where a model is asked."),
    ] = None,
    calls: options.ModelCalls,
    cache: options.RunCache = None,
    overrides: options.Overrides = None,
    judging: Judging,
    judge_model: options.JudgeModel = None,
    estimate: options.Estimate = False,
) -> console.Result:
    """Work on every topic and write the submission files of the track."""
    from sidelight.index.folder import open_index

    changes = options.with_judge(overrides or [], judge_model)
    settings = load_settings(config, changes)
    judging.check(settings)
    if judging.judge is None:  # which may ask a model
        check_asked(settings, calls.base_url)
    todo = read_topics(topics, load_track(settings.track))
    if unknown := set(topic or ()) - {one.topic_id for one in todo}:
        near = did_you_mean(min(unknown), [one.topic_id for one in todo])
        raise UsageError(f"--topic {min(unknown)}: {topics} has no such topic{near}")
    wanted = [one for one in todo if not topic or one.topic_id in topic]
    if judging.rubrics or judging.examples:
        topic_ids = [one.topic_id for one in todo]
        check_judging(judging.rubrics, topic_ids, judging.examples, judging.example_run or ())
    if estimate:
        return estimated(settings, wanted, judged=judging.judge is not None)
    folder = open_index(index)
    destination = output or Path("runs") / settings.submission.run_id
    access = calls.access(cache or destination / "cache")
    started = time.monotonic()
    directory = RunDirectory(destination)
    try:
        with progress_bar("topics", total=len(wanted)) as advance:
            advance.keep(directory.n_finished(wanted))
            summary = make_run(
                todo,
                settings,
                folder,
                destination,
                access,
                only=topic or (),
                parallel=parallel,
                on_topic=lambda _: advance(1),
                on_step=advance.begin,
            )
    except KeyboardInterrupt:
        console.err.print(f"{directory.n_finished(wanted)} of {len(wanted)} topics are finished.")
        raise
    seconds, evaluation, exit_code = time.monotonic() - started, None, 0
    if judging.judge and (summary.done or summary.kept):
        left = calls.less(access.budget.totals)
        passed_on = {
            "--config": config,
            "--base-url": left.base_url,
            "--cache": cache,
            "--max-calls": left.max_calls,
            "--max-tokens": left.max_tokens,
        }
        evaluation, exit_code = judging.evaluate(
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
    return run_result(summary, settings, seconds, access, evaluation, exit_code)


def estimated(
    settings: Settings, topics: Sequence[Topic], *, judged: bool = False
) -> console.Result:
    """Return what an investigation of some topics would come to."""
    estimate = estimate_run(settings, topics)
    shown = estimate_shown(estimate)
    if judged:
        told = "Judging is not included: `sidelight evaluate --estimate` counts it after the run."
        shown.append(console.Note(told, on_stderr=True, always=True))
    return console.Result(estimate.model_dump(), shown)


_MOST_MODELS = 2


@options.takes_groups
@console.interrupted(console.REPLIES_KEPT)
def split(  # long: half of it are options
    *,
    topics: Annotated[
        Path | None, options.topics_option("The narratives: the track's topics file.")
    ] = None,
    queries: Annotated[
        Path | None,
        options.queries_option(
            "Searches of one person (JSONL: id, queries); without a narrative of that id, one is "
            "written from them."
        ),
    ] = None,
    models: Annotated[
        list[str],
        options.model_option("Ask this model; a second one revises what the first drafts."),
    ],
    output: Annotated[
        Path, options.output_option("Topics file to write (JSONL), with sub-questions.")
    ],
    cache: Annotated[Path, options.cache_option("Folder of the models' replies.")],
    track: options.TrackWithNuggets = None,
    calls: options.ModelCalls,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
) -> console.Result:
    """Split narratives into at most ten sub-narratives each, vital or okay: draft and revision.

    With --queries alone, the narratives are written first.
    """
    if len(models) > _MOST_MODELS:
        raise UsageError("expected one model, or one that drafts and one that revises")
    if topics is None and queries is None:
        raise UsageError("there is nothing to split", remedy="Give --topics, --queries, or both.")
    read = read_topics(topics, options.track_of_scale("nuggets", track)) if topics else ()
    narratives = [one for one in read if isinstance(one, Narrative)]
    searches = read_searches(queries) if queries else {}
    access = calls.access(cache)
    total = len({one.topic_id for one in narratives} | searches.keys())
    with progress_bar("narratives", total=total) as advance:
        found, errors = split_narratives(
            narratives, searches, models, access, at_once, lambda: advance(1)
        )
    # One that was not split stays as it was: the file holds every topic that has a narrative.
    known = {one.topic_id: one for one in narratives}
    write_narratives(
        output,
        [found.get(name, known[name]) for name in known]
        + [one for name, one in found.items() if name not in known],
    )
    total = sum(len(one.sub_questions) for one in found.values())
    failed = {topic_id: error.message for topic_id, error in errors.items()}
    return console.Result(
        {
            "narratives": len(found),
            "sub_narratives": total,
            "failed": failed,
            "output": str(output),
        },
        [
            f"{counted(total, 'sub-narrative')} of {counted(len(found), 'narrative')}: {output}",
            *console.failures(failed.items(), "sub-narratives"),
        ],
        exit_code=1 if failed else 0,
    )


def link(
    run: Annotated[Path, typer.Argument(help="A run of cited texts.")],
    *,
    index: Annotated[Path, options.index_option("Folder that holds the cited segments.")],
    output: Annotated[
        Path, options.output_option("File to write: a report a line, citing addresses.")
    ],
    track: options.Track = DEFAULT_TRACK,
) -> None:
    """Write a run with the addresses of the pages that it cites, for readers on the web."""
    from sidelight.index.folder import open_index

    read = run_format(track_of(run, load_track(track)).cited_text).read(run)
    if len(read.run_ids) != 1:
        raise InputError(
            f"{run}: expected one run in the file; found {len(read.run_ids)}",
            remedy="Put each run in a file of its own.",
        )
    cited = {
        name
        for report in read.reports
        for sentence in report.responses
        for name in sentence.citations
    }
    found = open_index(index).docstore.find(sorted(cited))
    if unknown := sorted(cited - found.keys()):
        raise InputError(
            f"{run}: cites {unknown[0]}, which is not in {index}",
            remedy="Give the index that the run was made from.",
        )
    addresses = {name: one.url for name, one in found.items()}
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
    told = f"; left out {counted(lost, 'segment')} without an address" if lost else ""
    console.out.print(f"{counted(len(read.reports), 'report')}: {output}{told}", markup=False)


def settings() -> console.Result:
    """Print every setting of a run: type, default, range, unit, and what it does."""
    described = describe_settings()
    shown: list[console.Shown] = []
    for one in described:
        default = "must be given" if one.required else f"default {one.shown_default}"
        kind = "; ".join(filter(None, (one.type, one.unit, one.range, default)))
        shown += [console.Note(one.name, "bold"), f"    {kind}\n    {one.description}"]
    return console.Result([one._asdict() for one in described], shown)
