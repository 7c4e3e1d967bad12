"""Draft the rubric that assessors may write: one list, so that nothing in it is asked twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.generation.prompted.angles import DraftedQuestion, as_angle, check_questions
from sidelight.llm.asked import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile

PROMPT = load_prompt(Path(__file__).with_name("rubric.prompt.md"))

_LEAST, _MOST = 8, 20


class RubricDraft(Value):
    """The questions of a rubric, most important first."""

    questions: tuple[DraftedQuestion, ...] = Field(min_length=_LEAST, max_length=_MOST)


class PromptedRubricDrafter:
    """The role `draft_rubric` with a model, which is asked once.

    Assessors who draft apart ask much the same, and which of their questions are one would be a
    guess; how important each is can only be said beside the others.

    Args:
        writer: Who drafts.
    """

    asks = (Asked(PROMPT, calls=1, characters=0, written=527),)

    def __init__(self, writer: PromptedModel) -> None:
        self._model = writer

    async def __call__(self, profile: ArticleProfile) -> tuple[Angle, ...]:
        """Return one angle per question, in the model's order.

        Raises:
            ReplyError: The model gave no usable answer.
        """
        return await draft_angles(self._model, profile)


async def draft_angles(model: PromptedModel, profile: ArticleProfile) -> tuple[Angle, ...]:
    """Ask for a rubric, and return its questions as angles.

    Raises:
        ReplyError: The model gave no usable answer.
    """
    draft = await model.answer(
        PROMPT,
        RubricDraft,
        check=lambda draft: check_questions(draft.questions),
        profile=profile,
        most=_MOST,
    )
    return tuple(
        as_angle(one, f"rubric-{number}", profile)
        for number, one in enumerate(draft.questions, start=1)
    )
