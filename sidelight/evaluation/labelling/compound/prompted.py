"""Whether a submitted question asks more than one thing, by a model's reading.

The question is put with the prompt with which a writer of questions checks its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sidelight.checks.compound import COMPOUND_PROMPT, CompoundVerdict
from sidelight.evaluation.labelling.asking.assessor import NOTHING
from sidelight.evaluation.labelling.compound.protocol import COMPOUND_QUESTIONS
from sidelight.evaluation.labelling.protocol import Judgment, RubricCase
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.asking.assessor import Assessor
    from sidelight.evaluation.labelling.question_similarity.protocol import Questions

_SCALE = COMPOUND_QUESTIONS.scale


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
            return Judgment(_SCALE.lowest, NOTHING)
        return await self._assessor.judgment(
            (),
            COMPOUND_PROMPT,
            CompoundVerdict,
            lambda answer: Judgment(
                _SCALE.lowest if answer.verdict == "single" else _SCALE.highest, answer.reason
            ),
            question=question,
        )
