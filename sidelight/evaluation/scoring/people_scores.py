"""Scores of the runs in a data folder, by people's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part, look_for
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.formats.runs.by_topic import reports_by_topic
from sidelight.formats.runs.cited_text import read_report_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.measure import Measure
    from sidelight.schemas.run import CitedSentence
    from sidelight.tracks import Track


def people_question_scores(track: Track, data: Path, further: Sequence[Measure] = ()) -> ScoreTable:
    """Score the question runs, without compound questions; see `score_questions`.

    Args:
        track: Whose labels and number of questions count.
        data: Laid out as in `formats.data_folder`.
        further: Measures to compute besides the track's.

    Raises:
        InputError: A part is not there, or does not fit the rubrics.
        InvalidFileError: A file is not what it should be.
    """
    return score_questions(
        track,
        read_rubrics(find_part(data, DataPart.RUBRICS), track.scales),
        read_assessments(
            find_part(data, DataPart.QUESTION_ASSESSMENTS), QUESTION_ASSESSMENTS, track.scales
        ),
        read_assessments(
            find_part(data, DataPart.COMPOUND_CHECK), COMPOUND_ASSESSMENTS, track.scales
        ),
        further,
    )


def people_report_scores(track: Track, data: Path, further: Sequence[Measure] = ()) -> ScoreTable:
    """Score the reports; see `score_reports`.

    Args:
        track: Whose labels and number of questions count.
        data: Laid out as in `formats.data_folder`.
        further: Measures to compute besides the track's.

    Raises:
        InputError: A part is not there, or does not fit the rubrics.
        InvalidFileError: A file is not what it should be.
    """
    return score_reports(
        track,
        read_rubrics(find_part(data, DataPart.RUBRICS), track.scales),
        read_assessments(
            find_part(data, DataPart.REPORT_ASSESSMENTS), ANSWER_ASSESSMENTS, track.scales
        ),
        further,
        submitted_reports(data) if further else None,
    )


def submitted_reports(data: Path) -> dict[tuple[str, str], tuple[CitedSentence, ...]] | None:
    """Return the reports of a data folder, by run tag and topic id; None where it has none.

    Raises:
        InputError: A file cannot be read, or a run has two reports for a topic.
        InvalidFileError: A file is not what it should be.
    """
    folder = look_for(data, DataPart.REPORT_RUNS)
    paths = [path for path in sorted(folder.iterdir()) if path.name[0] != "."] if folder else []
    return reports_by_topic([read_report_run(path) for path in paths]) if paths else None
