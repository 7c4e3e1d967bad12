"""Whether submitted questions ask more than one thing: a label for each."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from sidelight.evaluation.labelling.protocol import AssessmentProtocol, RubricCase
from sidelight.formats.labels.assessments import COMPOUND_ASSESSMENTS
from sidelight.schemas.grading.judgment import CompoundAssessment
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.protocol import Judgment
    from sidelight.evaluation.labelling.question_similarity.protocol import Questions


def _units(case: RubricCase[Questions]) -> list[str]:
    return [str(question.rank) for question in case.submission]


def _record(
    run_tag: str, case: RubricCase[Questions], judgments: Sequence[Judgment]
) -> list[CompoundAssessment]:
    return [
        CompoundAssessment(
            topic_id=case.rubric.topic_id,
            run_tag=run_tag,
            run_question_rank=question.rank,
            run_question_text=question.text,
            label=judgment.label,
            rationale=judgment.rationale,
        )
        for question, judgment in zip(case.submission, judgments, strict=True)
    ]


COMPOUND_QUESTIONS = AssessmentProtocol(
    name="compound questions",
    scale=load_track().scales[COMPOUND_ASSESSMENTS.scale],
    units=_units,
    kind=COMPOUND_ASSESSMENTS,
    record=_record,
    order=attrgetter("run_tag", "topic_id", "run_question_rank"),
    file_name="auto_compound_question_check.csv",
)
"""Labels by submitted question."""
