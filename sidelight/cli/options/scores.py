"""Options that several `sidelight score` commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sidelight.errors import UsageError
from sidelight.formats.data_folder import DataPart, find_part
from sidelight.schemas.task import CitedTextTask, QuestionListTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.scoring.table import TopicScore
    from sidelight.evaluation.scoring.uncertainty import Interval
    from sidelight.schemas.grading.measure import Measure
    from sidelight.schemas.task import Task

Assessments = Annotated[
    Path | None, typer.Option("--assessments", help="CSV of labels, by people or by a judge.")
]
Compound = Annotated[
    Path | None, typer.Option("--compound", help="CSV of verdicts on what is asked in one.")
]
Merge = Annotated[
    bool,
    typer.Option("--merge", help="Where labels conflict, keep the one that the track puts first."),
]


def measure_option(what: str) -> Any:
    """Return `--measure`."""
    return typer.Option("--measure", help=what)


MeasureName = Annotated[str | None, measure_option("What to compare; the first one if not given.")]
MoreMeasures = Annotated[
    list[str] | None, measure_option("Measure this, too, by name or as module:Class; repeat.")
]


class Sampling(NamedTuple):
    """How chance was drawn; what a reader needs to get the same figures."""

    samples: int
    seed: int

    def __str__(self) -> str:
        return f"{self.samples} samples, seed {self.seed}"


def from_data(given: Path | None, data: Path | None, part: DataPart) -> Path | None:
    """Return what an option names, or else the part of the data folder, if there is one.

    Raises:
        InputError: The folder does not have it.
    """
    return given or (find_part(data, part) if data else None)


def required(given: Path | None, data: Path | None, part: DataPart, option: str) -> Path:
    """Return what an option names, or else the part of the data folder.

    Raises:
        InputError: The folder does not have it.
        UsageError: There is neither.
    """
    path = from_data(given, data, part)
    if path is None:
        raise UsageError(f"expected {option}, or --data, a folder that has it")
    return path


def score_by_people(data: Path, task: Task, measure: str | None = None) -> Sequence[TopicScore]:
    """Score the runs of a data folder by people's labels.

    Args:
        data: The folder.
        task: What the runs did.
        measure: Computed besides the track's, if it is none of them.

    Raises:
        InputError: A part is not there, or does not fit the rubrics.
        InvalidFileError: A file is not what it should be.
        UsageError: People give no labels for a task of this kind.
    """
    from sidelight.evaluation.scoring.people_scores import (
        people_question_scores,
        people_report_scores,
    )
    from sidelight.tracks import load_track

    track = load_track()
    known = task.measure(measure) if measure else None
    more = find_measures([measure] if measure and not known else [])
    if isinstance(task, QuestionListTask):
        return people_question_scores(track, data, more).topics
    if isinstance(task, CitedTextTask):
        return people_report_scores(track, data, more).topics
    raise UsageError(f"task {task.name}: there are no scores of runs of the kind {task.kind}")


def find_measures(names: list[str] | None) -> list[Measure]:
    """Return the measures that an option names.

    Raises:
        UsageError: There is none of a name.
        MachineError: A package that one needs is not installed.
    """
    from sidelight.evaluation.scoring.measures import find_measure

    return [find_measure(name) for name in names or ()]


def interval_cell(interval: Interval | None) -> str:
    """Return an interval as a table shows it."""
    return f"[{interval.low:.4f}, {interval.high:.4f}]" if interval else "-"
