"""The scores of a judged run: what its assessments come to, and the files of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sidelight.evaluation.labelling.compound.protocol import COMPOUND_QUESTIONS
from sidelight.evaluation.labelling.question_similarity.protocol import QUESTION_SIMILARITY
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.evaluation.scoring.files import score_prefix, write_score_files
from sidelight.evaluation.scoring.sampling import DEFAULT_SAMPLES
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.uncertainty import run_intervals
from sidelight.formats.labels.assessments import read_assessments

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sidelight.evaluation.labelling.protocol import A, AssessmentProtocol
    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.tracks import Track


class RunScores(NamedTuple):
    """The scores of a run's two files.

    Attributes:
        track: Whose measures they are.
        questions: Of the run's questions.
        reports: Of its reports.
    """

    track: Track
    questions: ScoreTable
    reports: ScoreTable


def score_assessments(folder: Path, rubrics: Mapping[str, Rubric], track: Track) -> RunScores:
    """Return what the assessments in a folder come to.

    Raises:
        InputError: One cannot be read, or does not fit the rubrics.
    """
    kinds = (QUESTION_SIMILARITY, COMPOUND_QUESTIONS, REPORT_ANSWERS)
    return score_files(*(folder / kind.file_name for kind in kinds), rubrics=rubrics, track=track)


def score_files(
    questions: Path, compounds: Path, reports: Path, *, rubrics: Mapping[str, Rubric], track: Track
) -> RunScores:
    """Return what three files of assessments come to, people's or a judge's.

    Raises:
        InputError: One cannot be read, or does not fit the rubrics.
    """

    def read(path: Path, protocol: AssessmentProtocol[Any, A]) -> list[A]:
        return read_assessments(path, protocol.kind, track.scales)

    similar = read(questions, QUESTION_SIMILARITY)
    compound = read(compounds, COMPOUND_QUESTIONS)
    return RunScores(
        track,
        score_questions(track, rubrics, similar, compound),
        score_reports(track, rubrics, read(reports, REPORT_ANSWERS)),
    )


def write_scores(scores: RunScores, folder: Path) -> list[Path]:
    """Write the files that `sidelight score` writes, and return their paths."""
    track = scores.track
    written: list[Path] = []
    for table, prefix in (
        (scores.questions, score_prefix("auto", track.question_list)),
        (scores.reports, score_prefix("auto", track.cited_text)),
    ):
        intervals = run_intervals(table, samples=DEFAULT_SAMPLES, seed=0)
        written += write_score_files(table, folder, prefix, intervals)
    return written
