"""Draft the rubric that assessors may write: three simulated ones draft, their votes weigh."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.generation.concurrent_answers import answers
from sidelight.generation.prompted.angles import DraftedQuestion, as_angle
from sidelight.generation.prompted.draft_rubric.votes import count_votes
from sidelight.llm.asked import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import Encode

PROMPT = load_prompt(Path(__file__).with_name("rubric.prompt.md"))

_ASSESSORS = (1, 2, 3)


class RubricDraft(Value):
    """The questions of one assessor, most important first."""

    questions: tuple[DraftedQuestion, ...] = Field(min_length=5, max_length=10)


class PromptedRubricDrafter:
    """The role `draft_rubric` with a model, asked three times with different stress.

    An assessor who gives no usable answer, whom the record of calls shows, does not stop the
    others; votes weigh as ever, so that nothing is then known to be asked by all three.

    Args:
        writer: Plays the assessors.
        encode: Tells which of their questions are the same.
    """

    asks = (Asked(PROMPT, calls=3, characters=0, written=291),)

    def __init__(self, writer: PromptedModel, encode: Encode) -> None:
        self._model = writer
        self._encode = encode

    async def __call__(self, profile: ArticleProfile) -> tuple[Angle, ...]:
        """Return one angle per question, those that most assessors ask first.

        Raises:
            ReplyError: No assessor gave a usable answer.
        """
        replies = await answers(
            self._model.answer(PROMPT, RubricDraft, check=_check, profile=profile, assessor=one)
            for one in _ASSESSORS
        )
        drafts = [reply.questions for reply in replies if isinstance(reply, RubricDraft)]
        drafted = {one_line(one.question): one for draft in drafts for one in draft}
        voted = count_votes(
            [[one_line(one.question) for one in draft] for draft in drafts],
            await asyncio.to_thread(_cosines, list(drafted), self._encode),
        )
        return tuple(
            as_angle(drafted[one.question], f"rubric-{number}", one.weight, profile)
            for number, one in enumerate(voted, start=1)
        )


def _check(draft: RubricDraft) -> None:
    seen: set[str] = set()
    for one in draft.questions:
        question = one_line(one.question)
        if not question.endswith("?"):
            raise ValueError(f"this does not end with a question mark: {question}")
        if question.casefold() in seen:
            raise ValueError(f"this is asked twice: {question}")
        seen.add(question.casefold())


def _cosines(texts: Sequence[str], encode: Encode) -> Callable[[str, str], float]:
    """Return the cosine of two of the texts, rounded: batches differ in the last digits."""
    place = {text: row for row, text in enumerate(texts)}
    vectors = encode(texts)
    matrix = (vectors @ vectors.T).round(4)
    return lambda first, second: float(matrix[place[first], place[second]])
