"""`sidelight audit`: whether a judge's verdicts change with what should not matter."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, print_table, progress_bar
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

    from sidelight.evaluation.audit.audit import Audit

_CHANGES = "audit_changes.csv"


def audit(
    runs: Runs,
    *,
    task: RunTask,
    track: Track = DEFAULT_TRACK,
    data: Data = None,
    rubrics: Rubrics = None,
    output: Annotated[Path, output_option("Folder for the verdicts that changed.")],
    name: JudgeName = "embedded",
    examples: ExampleFolder = None,
    example_run: ExampleRuns = None,
    words_only: WordsOnly = False,
    model: Models = None,
    base_url: BaseUrl = None,
    topics: Topics = None,
    mode: QuestionMode = Mode.PAIRWISE,
    cache: Cache = None,
    offline: Offline = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0, max=1, help="Share of verdicts a probe may change."),
    ] = 0.02,
    as_json: Json = False,
) -> None:
    """Probe a judge: order, length, author, hidden instructions.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.errors import UsageError
    from sidelight.evaluation.audit.audit import audit_questions, audit_reports, write_changes
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.runs.run_format import run_format
    from sidelight.registry import load
    from sidelight.schemas.task import CitedTextTask, QuestionListTask
    from sidelight.tracks import load_track

    judge_class = load("judge", name)
    if model and judge_class.kind != "prompted":
        raise UsageError("--model is for a judge that asks: --judge prompted")
    known = read_rubrics(
        required(rubrics, data, DataPart.RUBRICS, "--rubrics"), load_track().scales
    )
    labelled = read_labelled(examples, example_run)
    probe: Callable[..., Awaitable[Audit]]
    judged = load_track(track).task(task)
    if isinstance(judged, QuestionListTask):
        probe = partial(audit_questions, runs=[run_format(judged).read(path) for path in runs])
    elif isinstance(judged, CitedTextTask):
        probe = partial(audit_reports, runs=[run_format(judged).read(path) for path in runs])
    else:
        raise UsageError(f"--task {task}: nobody judges runs of the kind {judged.kind}")
    with progress_bar("labels") as advance:
        probe = partial(probe, rubrics=known, tolerance=tolerance, on_labels=advance)
        if judge_class.kind == "prompted":
            from sidelight.cli.judge.ask_models import ask_models
            from sidelight.cli.judge.prompted import seat_panel

            topics = from_data(topics, data, DataPart.TOPICS)
            panel = seat_panel(judge_class, model or [], topics, known, labelled, mode)
            access = model_access(
                cache or output / REPLIES,
                base_url=base_url,
                offline=offline,
                max_calls=max_calls,
                max_tokens=max_tokens,
            )
            work = ask_models(
                panel.models, access, at_once, lambda asked: probe(panel.judge(asked))
            )
            found = asyncio.run(work)
        else:
            from sidelight.cli.judge.embedded import make_embedded

            bound = make_embedded(judge_class, known, labelled, words_only=words_only)
            found = asyncio.run(probe(bound))
    write_changes(output / _CHANGES, found.changes)
    _report(found, output / _CHANGES, as_json=as_json)


def _report(found: Audit, changes: Path, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "judge": found.judge,
                "probes": [
                    {
                        **result.model_dump(),
                        "share_changed": result.share_changed,
                        "verdict": result.verdict,
                    }
                    for result in found.results
                ],
                "changes": str(changes),
            }
        )
        return
    print_table(
        ["probe", "verdicts", "changed", "share", "gained", "lost", "unjudged", "credit"],
        [
            [
                result.probe,
                *map(str, (result.n_verdicts, result.n_changed)),
                f"{result.share_changed:.1%}",
                *map(str, (result.n_gained, result.n_lost, result.n_unjudged)),
                f"{result.credit_change:+.4f}",
            ]
            for result in found.results
        ],
    )
    out.print(f"judge: {found.judge}", markup=False)
    for result in found.results:
        out.print(f"{result.probe} {result.verdict}", markup=False)
    out.print(f"  {changes}", markup=False)
