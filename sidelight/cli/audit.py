"""Command `audit`: probes of a judge with changes that should not change its verdicts."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import PlainTable, Result
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
@interrupted(WITH_REPLIES)
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
) -> Result:
    """Probe a judge: order, length, author, hidden instructions; denials and such in reports."""
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
    return audit_result(found, output / _CHANGES)


def audit_result(found: Audit, changes: Path) -> Result:
    """Return how many verdicts each probe changed, and whether the judge held.

    Args:
        found: What the probes came to.
        changes: The file of the verdicts that changed.
    """
    header = ("probe", "verdicts", "changed", "share", "gained", "lost", "unjudged", "credit")
    rows = [
        [
            one.probe,
            *map(str, (one.n_verdicts, one.n_changed)),
            _shown(one.share_changed, ".1%"),
            *map(str, (one.n_gained, one.n_lost, one.n_unjudged)),
            _shown(one.credit_change, "+.4f"),
            "-" if one.most is None else _shown(one.left, ".1%"),
        ]
        for one in found.results
    ]
    return Result(
        {
            "judge": found.judge,
            "probes": [
                {**one.model_dump(), "share_changed": one.share_changed, "verdict": one.verdict}
                for one in found.results
            ],
            "changes": str(changes),
        },
        [
            PlainTable((*header, "left"), rows),
            f"judge: {found.judge}",
            *(f"{one.probe} {one.verdict}" for one in found.results),
            f"  {changes}",
        ],
    )


def _shown(value: float | None, digits: str) -> str:
    return "undefined" if value is None else format(value, digits)
