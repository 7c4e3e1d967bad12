"""Scores of the runs in a data folder, by people's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part
from sidelight.formats.labels.assessments import (
    read_answer_assessments,
    read_compound_assessments,
    read_question_assessments,
)

if TYPE_CHECKING:
    from pathlib import Path

    from sidelight.evaluation.scoring.score import ScoreTable


def people_question_scores(data: Path, *, questions_per_topic: int) -> ScoreTable:
    """Score the Task 1 runs, without compound questions; see `score_questions`.

    Args:
        data: Laid out as in `formats.data_folder`.
        questions_per_topic: How many questions a run submits for each topic.

    Raises:
        InputError: A part is not there, or does not fit the rubrics.
        InvalidFileError: A file is not what it should be.
    """
    return score_questions(
        read_rubrics(find_part(data, DataPart.RUBRICS)),
        read_question_assessments(find_part(data, DataPart.QUESTION_ASSESSMENTS)),
        read_compound_assessments(find_part(data, DataPart.COMPOUND_CHECK)),
        questions_per_topic=questions_per_topic,
    )


def people_report_scores(data: Path) -> ScoreTable:
    """Score the Task 2 runs; see `score_reports`.

    Args:
        data: Laid out as in `formats.data_folder`.

    Raises:
        InputError: A part is not there, or does not fit the rubrics.
        InvalidFileError: A file is not what it should be.
    """
    return score_reports(
        read_rubrics(find_part(data, DataPart.RUBRICS)),
        read_answer_assessments(find_part(data, DataPart.REPORT_ASSESSMENTS)),
    )
