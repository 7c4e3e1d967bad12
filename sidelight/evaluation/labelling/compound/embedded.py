"""Whether a submitted question asks more than one thing, told by its form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.compound_rules import compound_reason
from sidelight.evaluation.labelling.compound.protocol import COMPOUND_QUESTIONS
from sidelight.evaluation.labelling.protocol import Judgment, RubricCase

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.question_similarity.protocol import Questions


async def label_by_form(case: RubricCase[Questions]) -> list[Judgment]:
    """Return one judgment for each submitted question, in order."""
    return [_judgment(compound_reason(question.text)) for question in case.submission]


def _judgment(reason: str | None) -> Judgment:
    if reason is None:
        return Judgment(COMPOUND_QUESTIONS.scale.lowest, "no second question was found")
    return Judgment(COMPOUND_QUESTIONS.scale.highest, reason)
