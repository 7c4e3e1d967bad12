"""Options that several `sidelight score` commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sidelight.cli.options.judges import Task
from sidelight.errors import UsageError
from sidelight.formats.data_folder import DataPart, find_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.scoring.score import TopicScore
    from sidelight.evaluation.scoring.uncertainty import Interval

Rubrics = Annotated[Path | None, typer.Option("--rubrics", help="Folder of rubrics (*.json).")]
Assessments = Annotated[
    Path | None, typer.Option("--assessments", help="CSV of labels, by people or by a judge.")
]
Compound = Annotated[
    Path | None, typer.Option("--compound", help="CSV of compound verdicts; no filter if none.")
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Folder laid out as the organizers' data: has what no option names."
    ),
]
Merge = Annotated[
    bool,
    typer.Option("--merge", help="Where labels conflict: contradicts, supports, partial, none."),
]
Track = Annotated[str, typer.Option("--track", help="Whose number of questions to expect.")]
Samples = Annotated[
    int, typer.Option("--samples", min=100, help="How often topics or signs are drawn anew.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of these draws.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Folder for the result files.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


DEFAULT_TRACK = "dragun2025"


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


def score_by_people(data: Path, task: Task) -> Sequence[TopicScore]:
    """Score the runs of a data folder by people's labels.

    Raises:
        InputError: A part is not there, or does not fit the rubrics.
        InvalidFileError: A file is not what it should be.
    """
    from sidelight.evaluation.scoring.people_scores import (
        people_question_scores,
        people_report_scores,
    )
    from sidelight.tracks import load_track

    track = load_track(DEFAULT_TRACK)
    if task is Task.TASK2:
        return people_report_scores(track, data).topics
    return people_question_scores(track, data).topics


def interval_cell(interval: Interval | None) -> str:
    """Return an interval as a table shows it."""
    return f"[{interval.low:.4f}, {interval.high:.4f}]" if interval else "-"
