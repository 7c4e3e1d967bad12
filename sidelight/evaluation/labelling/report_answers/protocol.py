"""What a report tells about the answers that a rubric expects: a label for each answer."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from sidelight.evaluation.labelling.protocol import AssessmentProtocol, RubricCase
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS
from sidelight.schemas.grading.judgment import AnswerAssessment
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.protocol import Judgment
    from sidelight.schemas.run import SubmittedReport


def _units(case: RubricCase[SubmittedReport]) -> list[str]:
    return [answer.answer_id for answer in case.rubric.answers]


def _record(
    run_tag: str, case: RubricCase[SubmittedReport], judgments: Sequence[Judgment]
) -> list[AnswerAssessment]:
    return [
        AnswerAssessment(
            topic_id=case.rubric.topic_id,
            run_tag=run_tag,
            answer_id=answer.answer_id,
            label=judgment.label,
            rationale=judgment.rationale,
        )
        for answer, judgment in zip(case.rubric.answers, judgments, strict=True)
    ]


REPORT_ANSWERS = AssessmentProtocol(
    name="report answers",
    scale=load_track().scales[ANSWER_ASSESSMENTS.scale],
    units=_units,
    kind=ANSWER_ASSESSMENTS,
    record=_record,
    order=attrgetter("topic_id", "run_tag"),  # the rubric's order within
    file_name="auto_report_assessments.csv",
)
"""Labels by answer, in the rubric's order."""
