"""`sidelight view`: a run as one page to read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out
from sidelight.cli.options.inputs import data_option, labels_option, rubrics_option
from sidelight.cli.options.results import output_option
from sidelight.cli.options.scores import from_data
from sidelight.formats.data_folder import DataPart, find_part, look_for

PAGE = "page.html"
# Where a run that was judged with its own files keeps labels, and rubrics if it drafted them.
SCORES, DRAFTED = "scores", "rubrics"


def view(
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    output: Annotated[Path | None, output_option(f"The page; {PAGE} in the run directory.")] = None,
    rubrics: Annotated[
        Path | None, rubrics_option("Folder of rubrics (*.json), for evaluators.")
    ] = None,
    labels: Annotated[
        list[Path] | None,
        labels_option(
            "Folder of label files; the first one marks the run, others are held against it."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        data_option("The organizers' data folder, in place of both."),
    ] = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", help="Another run directory, shown side by side.")
    ] = None,
) -> None:
    """Write a run as one HTML file that needs no network: article, questions, report, sources."""
    destination = output or run / PAGE
    write_page(
        run,
        destination,
        rubrics=from_data(rubrics, data, DataPart.RUBRICS),
        labels=[*(labels or ()), *([_labels_of(data)] if data else ())],
        rival=compare,
    )
    out.print(f"  {destination}", markup=False)


def _labels_of(data: Path) -> Path:
    """Return the folder in which a data folder keeps people's labels.

    Raises:
        InputError: There is none.
    """
    questions = look_for(data, DataPart.QUESTION_ASSESSMENTS)
    return (questions or find_part(data, DataPart.REPORT_ASSESSMENTS)).parent


def write_page(
    run: Path,
    destination: Path,
    *,
    rubrics: Path | None = None,
    labels: list[Path],
    rival: Path | None = None,
) -> None:
    """Write the page of a run.

    Args:
        run: Run directory.
        destination: The HTML file.
        rubrics: Folder of rubrics.
        labels: Folders of labels. The run's own scores join them if they were made with rubrics
            from elsewhere; made with drafted ones, they stand where nothing is given.
        rival: Another run directory.

    Raises:
        InputError: A folder is not what it should be.
        UsageError: There are labels without rubrics, or rubrics without labels.
    """
    from sidelight.errors import UsageError
    from sidelight.files import atomic_write
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.runs.directory import RunDirectory
    from sidelight.tracks import load_track
    from sidelight.view.collect import collect_page
    from sidelight.view.labels import read_labels
    from sidelight.view.page import render_page

    scores = run / SCORES
    drafted = scores / DRAFTED
    if rubrics is None and not labels and drafted.is_dir():
        rubrics, labels = drafted, [scores]
    elif rubrics and scores.is_dir() and not drafted.is_dir():
        labels = [*labels, scores]
    if (rubrics is None) == bool(labels):
        raise UsageError(
            "marks need rubrics and labels, and only one of them is given",
            remedy="Give --rubrics and --labels, or --data for both.",
        )
    scales = load_track().scales
    page = collect_page(
        RunDirectory(run),
        read_rubrics(rubrics, scales) if rubrics else {},
        [read_labels(folder, scales) for folder in labels],
        RunDirectory(rival) if rival else None,
    )
    atomic_write(destination, render_page(page))
