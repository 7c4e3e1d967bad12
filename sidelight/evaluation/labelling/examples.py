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
from typing import Any

from sidelight.errors import InputError
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part, run_files
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
        questions: (run tag, topic id, rank) -> submitted question, of the runs that have labels.
        reports: (run tag, topic id) -> submitted report, of the runs that have labels.
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

    The folder is laid out as in `formats.data_folder`. `run_tags` are the runs to read; all if
    empty.
    """
    rubrics = read_rubrics(find_part(folder, DataPart.RUBRICS), load_track().scales)
    questions = {
        (run.run_tag, question.topic_id, question.rank): question
        for run in map(read_question_run, run_files(folder, DataPart.QUESTION_RUNS))
        for question in run.questions
        if not run_tags or run.run_tag in run_tags
    }
    reports = {
        (run.run_tag, report.metadata.topic_id): report
        for run in map(read_report_run, run_files(folder, DataPart.REPORT_RUNS))
        for report in run.reports
        if not run_tags or run.run_tag in run_tags
    }
    question_labels = [
        label
        for label in _labels(
            folder, DataPart.QUESTION_ASSESSMENTS, assessments.QUESTION_ASSESSMENTS, questions
        )
        if (label.run_tag, label.topic_id, label.run_question_rank) in questions
        and label.topic_id in rubrics
    ]
    answer_labels = [
        label
        for label in _labels(
            folder, DataPart.REPORT_ASSESSMENTS, assessments.ANSWER_ASSESSMENTS, reports
        )
        if (label.run_tag, label.topic_id) in reports and label.topic_id in rubrics
    ]
    question_tags = {label.run_tag for label in question_labels}
    answer_tags = {label.run_tag for label in answer_labels}
    examples = Examples(
        rubrics=rubrics,
        questions={key: item for key, item in questions.items() if key[0] in question_tags},
        reports={key: item for key, item in reports.items() if key[0] in answer_tags},
        question_labels=tuple(question_labels),
        answer_labels=tuple(answer_labels),
    )
    lacking = sorted(set(run_tags) - examples.run_tags)
    if lacking or not examples.run_tags:
        raise InputError(
            f"{folder}: expected labelled example runs; found none for "
            f"{', '.join(lacking) or 'any run'}",
            remedy="Lay runs and labels out as docs/formats.md says.",
        )
    return examples


def _labels(
    folder: Path,
    part: DataPart,
    kind: assessments.AssessmentKind[assessments.A],
    submitted: Mapping[Any, object],
) -> list[assessments.A]:
    """Return the labels of a part; none where nothing of what they are about is there."""
    if not submitted:
        return []
    return assessments.read_assessments(find_part(folder, part), kind, load_track().scales)
