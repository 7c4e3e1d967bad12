"""How good questions are, by a model's reading: one call for the list of a run on an article."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.evaluation.labelling.question_quality.protocol import (
    QUESTION_QUALITY,
    QUESTION_REDUNDANCY,
)
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import OneOf

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.evaluation.labelling.asking.assessor import Assessor
    from sidelight.evaluation.labelling.question_quality.protocol import QuestionListCase

QUALITY_PROMPT = load_prompt(Path(__file__).with_name("question_quality.prompt.md"))


class GradedQuestion(Value):
    """The grade of one question."""

    rank: str
    reason: str
    grade: Annotated[str, OneOf(QUESTION_QUALITY.scale.names)]
    redundant: Annotated[str, OneOf(QUESTION_REDUNDANCY.scale.names)]


class GradedList(Value):
    """The grades of a list."""

    grades: tuple[GradedQuestion, ...]


class PromptedQuestionList:
    """Labels the questions of a list by asking a model.

    Quality and redundancy are asked for in one call, so that the second of the two to be wanted
    costs nothing: the reply is in the cache.

    Args:
        assessor: Asks.
        label: What of a graded question is the label.
    """

    def __init__(self, assessor: Assessor, label: Callable[[GradedQuestion], str]) -> None:
        self._assessor = assessor
        self._label = label

    async def __call__(self, case: QuestionListCase) -> list[Judgment]:
        """Return one judgment for each question, in order."""
        if not case.questions:
            return []
        return await self._assessor.judgments(
            (case.article.topic_id,),
            QUALITY_PROMPT,
            GradedList,
            [str(rank) for rank in range(1, len(case.questions) + 1)],
            lambda answer: (
                (one.rank, Judgment(self._label(one), one.reason)) for one in answer.grades
            ),
            article=case.article,
            questions=list(case.questions),
        )
