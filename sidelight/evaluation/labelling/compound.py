"""Compound questions: the label for whether a submitted question asks more than one thing.

A labeller goes by the question's form or asks a model, with the prompt with which a writer of
questions checks its own.
"""

from __future__ import annotations

import asyncio
from operator import attrgetter
from typing import TYPE_CHECKING

from sidelight.checks.questions import COMPOUND_PROMPT, CompoundVerdict, compound_reason
from sidelight.evaluation.labelling.asking import NOTHING
from sidelight.evaluation.labelling.protocol import AssessmentProtocol, Judgment, RubricCase
from sidelight.formats.labels.assessments import COMPOUND_ASSESSMENTS
from sidelight.schemas.grading.judgment import CompoundAssessment
from sidelight.text import one_line
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.asking import Assessor
    from sidelight.evaluation.labelling.rubric_cases import Questions


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


async def label_by_form(case: RubricCase[Questions]) -> list[Judgment]:
    """Return one judgment for each submitted question, in order."""
    return [_judgment(compound_reason(question.text)) for question in case.submission]


def _judgment(reason: str | None) -> Judgment:
    if reason is None:
        return Judgment(COMPOUND_QUESTIONS.scale.lowest, "no second question was found")
    return Judgment(COMPOUND_QUESTIONS.scale.highest, reason)


_COMPOUND_SCALE = COMPOUND_QUESTIONS.scale


class PromptedCompoundQuestions:
    """Labels by asking a model, once for each question.

    Args:
        assessor: Asks.
    """

    def __init__(self, assessor: Assessor) -> None:
        self._assessor = assessor

    async def __call__(self, case: RubricCase[Questions]) -> list[Judgment]:
        """Return one judgment for each submitted question, in order."""
        return await asyncio.gather(*(self._judgment(item.text) for item in case.submission))

    async def _judgment(self, question: str) -> Judgment:
        if not one_line(question):
            return Judgment(_COMPOUND_SCALE.lowest, NOTHING)
        return await self._assessor.judgment(
            (),
            COMPOUND_PROMPT,
            CompoundVerdict,
            lambda answer: Judgment(
                _COMPOUND_SCALE.lowest if answer.verdict == "single" else _COMPOUND_SCALE.highest,
                answer.reason,
            ),
            question=question,
        )
