"""Assessments and scores of a finished run, and where it lost credit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError
from sidelight.evaluation.labelling.assess import (
    REPORT_FILE,
    assess_question_runs,
    assess_report_runs,
    count_answer_labels,
    count_question_labels,
    gather_labels,
    ignore,
    judge_question_runs,
    judge_report_runs,
)
from sidelight.evaluation.scoring.funnel import Stage, funnel_rows, write_funnel
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
from sidelight.formats.runs.cited_text import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.runs.self_evaluation.scores import score_assessments
from sidelight.runs.self_evaluation.stages import stage_reports
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.labelling.assess import OnLabels
    from sidelight.evaluation.labelling.base import Judge, JudgeKind
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.manifest import JudgingManifest
    from sidelight.evaluation.scoring.funnel import FunnelRow
    from sidelight.runs.directory import RunDirectory, TopicResult
    from sidelight.runs.self_evaluation.scores import RunScores
    from sidelight.runs.self_evaluation.stages import StageReport
    from sidelight.schemas.judgment import AnswerAssessment
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import QuestionRun, ReportRun
    from sidelight.schemas.segment import Segment

FUNNEL_FILE = "funnel.csv"


class Material(NamedTuple):
    """What is judged of a run.

    Attributes:
        rubrics: Topic id -> rubric.
        questions: The Task 1 file.
        reports: The Task 2 file.
        stages: What the run read and wrote on its way to the reports.
    """

    rubrics: Mapping[str, Rubric]
    questions: QuestionRun
    reports: ReportRun
    stages: Sequence[StageReport]

    @property
    def n_labels(self) -> int:
        """Labels that a judge gives."""
        answers_of_stages = (
            len(question.answers) for stage in self.stages for question in stage.rubric.questions
        )
        return (
            count_question_labels(self.rubrics, [self.questions])
            + count_answer_labels(self.rubrics, [self.reports])
            + sum(answers_of_stages)
        )


class SelfEvaluation(NamedTuple):
    """What a run came to.

    Attributes:
        manifest: Who judged what.
        scores: Of both files.
        funnel: A row for each rubric answer.
    """

    manifest: JudgingManifest
    scores: RunScores
    funnel: Sequence[FunnelRow]


def read_results(directory: RunDirectory, index_fingerprint: str) -> dict[str, TopicResult | None]:
    """Return what is stored about each topic of a run; None for one that failed.

    Raises:
        InputError: The run is not finished, or was made with another index.
    """
    manifest = directory.read_manifest()
    if manifest.index != index_fingerprint:
        raise InputError(
            f"{directory.path} was made with another index than the one given",
            remedy="Give the index of the run with --index.",
        )
    return {
        **dict.fromkeys(manifest.failed_topics),
        **{topic_id: directory.result(topic_id) for topic_id in manifest.topics},
    }


def collect(
    directory: RunDirectory,
    results: Mapping[str, TopicResult | None],
    rubrics: Mapping[str, Rubric],
    lookup: Callable[[Sequence[str]], Sequence[Segment]],
    kind: JudgeKind,
) -> Material:
    """Read what is judged of a run; see `stage_reports`."""
    return Material(
        rubrics=rubrics,
        questions=read_question_run(directory.task1),
        reports=read_report_run(directory.task2),
        stages=stage_reports(results.values(), rubrics, lookup, kind),
    )


async def assess_all(judge: Judge, material: Material) -> None:
    """Judge what `evaluate_run` judges and keep nothing, for judges that only count."""
    await assess_question_runs(judge, material.rubrics, [material.questions])
    await assess_report_runs(judge, material.rubrics, [material.reports])
    await _assess_stages(judge, material.stages, ignore)


async def evaluate_run(
    judge: Judge,
    material: Material,
    examples: Examples | None,
    folder: Path,
    track: str,
    on_labels: OnLabels = ignore,
) -> SelfEvaluation:
    """Judge a run, score it and find where credit was lost; write assessments and funnel.

    Args:
        judge: Who judges.
        material: What is judged.
        examples: What the judge was shown.
        folder: Where files go; those of scores are left to the caller.
        track: The track of the run.
        on_labels: Told how many labels have been added, whenever some have.
    """
    rubrics = material.rubrics
    await judge_question_runs(judge, rubrics, [material.questions], examples, folder, on_labels)
    manifest = await judge_report_runs(
        judge, rubrics, [material.reports], examples, folder, on_labels
    )
    staged = await _assess_stages(judge, material.stages, on_labels)
    scales = load_track(track).scales
    answers = read_assessments(folder / REPORT_FILE, ANSWER_ASSESSMENTS, scales)
    staged += [replace(item, run_tag=Stage.JUDGED) for item in answers]
    funnel = funnel_rows(rubrics, staged, scales["answers"])
    write_funnel(folder / FUNNEL_FILE, funnel)
    scores = score_assessments(folder, rubrics, track)
    return SelfEvaluation(manifest=manifest, scores=scores, funnel=funnel)


async def _assess_stages(
    judge: Judge, stages: Iterable[StageReport], on_labels: OnLabels
) -> list[AnswerAssessment]:
    """Return the labels of all texts on the way, the stage in place of the run tag."""
    return await gather_labels(
        (partial(judge.assess_report, rubric, stage, report) for stage, rubric, report in stages),
        on_labels,
    )
