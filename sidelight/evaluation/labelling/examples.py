"""Labelled examples: submissions with people's labels, for a judge to learn from.

They lie in a folder laid out like the organizers' data (`formats.data_folder`). Runs or their
labels may be missing for one task; examples of the other task are still used. Labels of runs whose
file is missing cannot be learned from and are left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sidelight.errors import InputError
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part, look_for
from sidelight.formats.labels import assessments
from sidelight.formats.runs.cited_sentences import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.schemas.grading.judgment import AnswerAssessment, QuestionAssessment
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedQuestion, SubmittedReport
from sidelight.tracks import load_track


@dataclass(frozen=True)
class Examples:
    """Labelled submissions; every label refers to a submission and a rubric that are here.

    Attributes:
        rubrics: Topic id -> rubric.
        questions: (run tag, topic id, rank) -> submitted question, of the runs that have labels.
        reports: (run tag, topic id) -> submitted report, of the runs that have labels.
        question_labels: People's labels of question pairs.
        answer_labels: People's labels of rubric answers.
    """

    rubrics: Mapping[str, Rubric]
    questions: Mapping[tuple[str, str, int], SubmittedQuestion]
    reports: Mapping[tuple[str, str], SubmittedReport]
    question_labels: tuple[QuestionAssessment, ...]
    answer_labels: tuple[AnswerAssessment, ...]

    @cached_property
    def fingerprint(self) -> str:
        """Return a short hash of all labels and texts, whatever order they are in.

        Judges that were shown others are other judges, whatever else they have in common.
        """
        parts = [
            *(one.model_dump_json() for one in self.rubrics.values()),
            *(f"{key} {one.text}" for key, one in self.questions.items()),
            *(f"{key} {one.text}" for key, one in self.reports.items()),
            *map(repr, self.question_labels),
            *map(repr, self.answer_labels),
        ]
        return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:8]

    @property
    def run_tags(self) -> frozenset[str]:
        """Return the runs that have labels here."""
        return frozenset(label.run_tag for label in self.question_labels) | frozenset(
            label.run_tag for label in self.answer_labels
        )


def read_examples(folder: Path, run_tags: Collection[str] = ()) -> Examples:
    """Read labelled examples.

    Args:
        folder: Laid out as in `formats.data_folder`.
        run_tags: Only these runs; all when empty.

    Raises:
        InputError: A file cannot be read, a named run has no labels here, or none has.
        InvalidFileError: A file is not what it should be.
    """
    rubrics = read_rubrics(find_part(folder, DataPart.RUBRICS), load_track().scales)
    questions = {
        (run.run_tag, question.topic_id, question.rank): question
        for run in map(read_question_run, _files(folder, DataPart.QUESTION_RUNS))
        for question in run.questions
        if not run_tags or run.run_tag in run_tags
    }
    reports = {
        (run.run_tag, report.metadata.topic_id): report
        for run in map(read_report_run, _files(folder, DataPart.REPORT_RUNS))
        for report in run.reports
        if not run_tags or run.run_tag in run_tags
    }
    question_labels = tuple(
        label
        for label in (
            _labels(folder, DataPart.QUESTION_ASSESSMENTS, assessments.QUESTION_ASSESSMENTS)
            if questions
            else ()
        )
        if (label.run_tag, label.topic_id, label.run_question_rank) in questions
        and label.topic_id in rubrics
    )
    answer_labels = tuple(
        label
        for label in (
            _labels(folder, DataPart.REPORT_ASSESSMENTS, assessments.ANSWER_ASSESSMENTS)
            if reports
            else ()
        )
        if (label.run_tag, label.topic_id) in reports and label.topic_id in rubrics
    )
    question_tags = {label.run_tag for label in question_labels}
    answer_tags = {label.run_tag for label in answer_labels}
    examples = Examples(
        rubrics=rubrics,
        questions={key: item for key, item in questions.items() if key[0] in question_tags},
        reports={key: item for key, item in reports.items() if key[0] in answer_tags},
        question_labels=question_labels,
        answer_labels=answer_labels,
    )
    _require_labels(examples, folder, run_tags)
    return examples


def _require_labels(examples: Examples, folder: Path, run_tags: Collection[str]) -> None:
    lacking = sorted(set(run_tags) - examples.run_tags)
    if lacking or not examples.run_tags:
        raise InputError(
            f"{folder}: expected labelled example runs; found none for "
            f"{', '.join(lacking) or 'any run'}",
            remedy="Lay runs and labels out as docs/formats.md says.",
        )


def _labels(
    folder: Path, part: DataPart, kind: assessments.AssessmentKind[assessments.A]
) -> list[assessments.A]:
    return assessments.read_assessments(find_part(folder, part), kind, load_track().scales)


def _files(folder: Path, part: DataPart) -> list[Path]:
    """Return the run files of a folder, which may be missing; hidden files are not runs."""
    runs = look_for(folder, part)
    paths = sorted(runs.iterdir()) if runs else []
    return [path for path in paths if path.is_file() and not path.name.startswith(".")]
