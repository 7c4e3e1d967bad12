"""Assessments and scores of a finished run, and where it lost credit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import UsageError
from sidelight.evaluation.labelling.assess import assess, ignore
from sidelight.evaluation.labelling.judged_runs import assess_runs, judge_runs
from sidelight.evaluation.labelling.protocol import RubricCase
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.evaluation.scoring.funnel import Stage, funnel_rows, write_funnel
from sidelight.formats.labels.assessments import read_assessments
from sidelight.runs.self_evaluation.rubrics import DRAFTED, write_drafted
from sidelight.runs.self_evaluation.scores import score_assessments, write_scores
from sidelight.runs.self_evaluation.stages import stage_reports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from sidelight.evaluation.labelling.assess import OnLabels
    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.labelling.manifest import JudgingManifest
    from sidelight.evaluation.scoring.funnel import FunnelRow
    from sidelight.runs.self_evaluation.finished import FinishedRun
    from sidelight.runs.self_evaluation.scores import RunScores
    from sidelight.runs.self_evaluation.stages import StageReport
    from sidelight.schemas.grading.judgment import AnswerAssessment
    from sidelight.schemas.run import SubmittedReport
    from sidelight.schemas.segment import Segment

FUNNEL_FILE = "funnel.csv"


class Material(NamedTuple):
    """What is judged of a run.

    Attributes:
        run: The run, with its rubrics.
        stages: What it read and wrote on its way to the reports.
    """

    run: FinishedRun
    stages: Sequence[StageReport]

    @property
    def n_labels(self) -> int:
        """Labels that a judge gives."""
        of_stages = sum(len(REPORT_ANSWERS.units(case)) for _, case in _cases(self.stages))
        return of_stages + sum(file.n_labels for file in self.run.files())


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


def collect(
    run: FinishedRun, lookup: Callable[[Sequence[str]], Sequence[Segment]], words_at_once: int
) -> Material:
    """Read what is judged of a run; see `stage_reports`."""
    stages = stage_reports(
        run.results.values(), run.track.cited_text, run.rubrics, lookup, words_at_once
    )
    return Material(run, stages)


async def assess_all(judge: Judge, material: Material) -> None:
    """Judge what `evaluate_run` judges and keep nothing, for judges that only count."""
    for file in material.run.files():
        await assess_runs(judge, file)
    await _assess_stages(judge, material.stages, ignore)


async def evaluate_run(
    judge: Judge, material: Material, folder: Path, on_labels: OnLabels = ignore
) -> SelfEvaluation:
    """Judge a run, score it and find where credit was lost; write assessments, scores and funnel.

    Args:
        judge: Who judges.
        material: What is judged.
        folder: Where files go.
        on_labels: Told how many labels have been added, whenever some have.

    Raises:
        UsageError: The folder holds scores by rubrics that the run drafted, and others are given.
        InputError: It holds labels of another judge.
    """
    run = material.run
    check_folder(run, folder)
    if run.drafted:
        write_drafted(folder / DRAFTED, run.rubrics)
    judge.prepare(stage.report for stage in material.stages)
    for file in run.files():
        manifest = await judge_runs(judge, file, folder, on_labels)
    staged = await _assess_stages(judge, material.stages, on_labels)
    track = run.track
    answers = read_assessments(folder / REPORT_ANSWERS.file_name, REPORT_ANSWERS.kind, track.scales)
    staged += [replace(item, run_tag=Stage.JUDGED) for item in answers]
    funnel = funnel_rows(run.rubrics, staged, REPORT_ANSWERS.scale)
    write_funnel(folder / FUNNEL_FILE, funnel)
    scores = score_assessments(folder, run.rubrics, track)
    write_scores(scores, folder)
    return SelfEvaluation(manifest=manifest, scores=scores, funnel=funnel)


def check_folder(run: FinishedRun, folder: Path) -> None:
    """Raise UsageError where scores by other rubrics lie that a run drafted itself."""
    if not run.drafted and (folder / DRAFTED).exists():
        raise UsageError(
            f"{folder} holds scores by rubrics that the run drafted itself",
            remedy="Choose another folder with -o, or delete that one.",
        )


async def _assess_stages(
    judge: Judge, stages: Iterable[StageReport], on_labels: OnLabels
) -> list[AnswerAssessment]:
    """Return the labels of all texts on the way, the stage in place of the run tag."""
    return await assess(judge, REPORT_ANSWERS, _cases(stages), on_labels)


def _cases(stages: Iterable[StageReport]) -> Iterable[tuple[str, RubricCase[SubmittedReport]]]:
    return ((stage, RubricCase(rubric, report)) for stage, rubric, report in stages)
