"""How alike the questions of a rubric and submitted questions are: a label for every pair."""

from __future__ import annotations

from itertools import product
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from sidelight.evaluation.labelling.protocol import AssessmentProtocol, RubricCase
from sidelight.formats.labels.assessments import QUESTION_ASSESSMENTS
from sidelight.schemas.grading.judgment import QuestionAssessment
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.protocol import Judgment
    from sidelight.schemas.run import SubmittedQuestion

Questions: TypeAlias = "Sequence[SubmittedQuestion]"
"""What a run asks on one topic, by rank."""


def _units(case: RubricCase[Questions]) -> list[str]:
    """Return the ranks of every pair, by rubric question, then submitted question."""
    pairs = product(case.rubric.questions, case.submission)
    return [f"{wanted.rank}/{submitted.rank}" for wanted, submitted in pairs]


def _record(
    run_tag: str, case: RubricCase[Questions], judgments: Sequence[Judgment]
) -> list[QuestionAssessment]:
    pairs = product(case.rubric.questions, case.submission)
    return [
        QuestionAssessment(
            topic_id=case.rubric.topic_id,
            rubric_question_rank=wanted.rank,
            run_tag=run_tag,
            run_question_rank=submitted.rank,
            label=judgment.label,
            rationale=judgment.rationale,
        )
        for (wanted, submitted), judgment in zip(pairs, judgments, strict=True)
    ]


QUESTION_SIMILARITY = AssessmentProtocol(
    name="question similarity",
    scale=load_track().scales[QUESTION_ASSESSMENTS.scale],
    units=_units,
    kind=QUESTION_ASSESSMENTS,
    record=_record,
    order=attrgetter("topic_id", "rubric_question_rank", "run_tag", "run_question_rank"),
    file_name="auto_question_assessments.csv",
)
"""Labels by rubric question, then submitted question."""
