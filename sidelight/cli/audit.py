"""`sidelight audit`: whether a judge's verdicts change with what should not matter."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, print_table
from sidelight.cli.options.inputs import Data, Json, Rubrics, Track, output_option
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
    ModelCalls,
    asks_models,
)
from sidelight.cli.progress import progress_bar
from sidelight.evaluation.labelling.protocol import Mode
from sidelight.formats.data_folder import DataPart
from sidelight.tracks import DEFAULT_TRACK

if TYPE_CHECKING:
    from sidelight.evaluation.audit.audit import Audit

_CHANGES = "audit_changes.csv"


@asks_models
def audit(  # long: half of it are options
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
    calls: ModelCalls,
    topics: Topics = None,
    mode: QuestionMode = Mode.PAIRWISE,
    cache: Cache = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0, max=1, help="Share of verdicts a probe may change."),
    ] = 0.02,
    as_json: Json = False,
) -> None:
    """Probe a judge: order, length, author, hidden instructions; of reports also denials and such.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.evaluation.audit.audit import audit as probe
    from sidelight.evaluation.audit.audit import write_changes
    from sidelight.evaluation.labelling.run_kinds import read_task_runs
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.tracks import load_track
    from sidelight.wiring.judges import JudgeInputs, open_encoder, set_up_judge
    from sidelight.wiring.models import models_by_name

    rules = load_track(track)
    known = read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales)
    articles = articles_of(topics, data)
    setup = set_up_judge(
        name,
        JudgeInputs(
            known,
            read_labelled(examples, example_run),
            encoder=None if words_only else open_encoder,
            articles=articles,
            mode=mode,
        ),
        models_by_name(model or [], at_once),
    )
    given = read_task_runs(rules.task(task), runs, known)
    access = calls.access(cache or output / REPLIES)
    with progress_bar("labels") as advance:
        work = partial(
            probe,
            given=given,
            tolerance=tolerance,
            articles={name: one.body for name, one in (articles() if articles else {}).items()},
            on_labels=advance,
        )
        found = asyncio.run(setup.perform(access, work))
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
        ["probe", "verdicts", "changed", "share", "gained", "lost", "unjudged", "credit", "left"],
        [
            [
                result.probe,
                *map(str, (result.n_verdicts, result.n_changed)),
                f"{result.share_changed:.1%}",
                *map(str, (result.n_gained, result.n_lost, result.n_unjudged)),
                f"{result.credit_change:+.4f}",
                "" if result.left is None else f"{result.left:.1%}",
            ]
            for result in found.results
        ],
    )
    out.print(f"judge: {found.judge}", markup=False)
    for result in found.results:
        out.print(f"{result.probe} {result.verdict}", markup=False)
    out.print(f"  {changes}", markup=False)
