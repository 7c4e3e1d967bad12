"""Scores of the runs in a data folder, by people's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)

if TYPE_CHECKING:
    from pathlib import Path

    from sidelight.evaluation.scoring.score import ScoreTable
    from sidelight.tracks import Track


def people_question_scores(track: Track, data: Path) -> ScoreTable:
    """Score the Task 1 runs, without compound questions; see `score_questions`.

    Args:
        track: Whose labels and number of questions count.
        data: Laid out as in `formats.data_folder`.

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
    )


def people_report_scores(track: Track, data: Path) -> ScoreTable:
    """Score the Task 2 runs; see `score_reports`.

    Args:
        track: Whose labels and number of questions count.
        data: Laid out as in `formats.data_folder`.

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
    )
