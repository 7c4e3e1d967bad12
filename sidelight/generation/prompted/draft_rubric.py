"""Rubric drafting by a model, in one list without duplicates, as angles to search for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.english.names import mentions, name_forms
from sidelight.generation.prompted.findings import Importance, weight_of
from sidelight.llm.prompted import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.text import one_line, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import ArticleProfile

_MAX_QUERY_WORDS = 10


class DraftedQuestion(Value):
    """A question as a model drafts it.

    Attributes:
        why: What its answer tells a reader.
        aspect: Which side of trustworthiness it belongs to.
        importance: As on the rubrics of assessors.
        question: The question.
        query: What to type into a search engine to answer it.
    """

    why: str = Field(max_length=400)
    aspect: Aspect
    importance: Importance
    question: str = Field(min_length=8, max_length=300)
    query: str = Field(min_length=3, max_length=160)


def as_angle(drafted: DraftedQuestion, angle_id: str, profile: ArticleProfile) -> Angle:
    """Return the angle that a drafted question opens."""
    question = one_line(drafted.question)
    return Angle(
        angle_id=angle_id,
        aspect=drafted.aspect,
        question=question,
        query=short_query(drafted.query) or question,
        must_mention=_principals(drafted.aspect, question, profile),
        weight=weight_of(drafted.importance),
    )


def check_questions(drafted: Iterable[DraftedQuestion]) -> None:
    """Check drafted questions, each by itself and all together.

    Raises:
        ValueError: One is no question, or is asked twice.
    """
    seen: set[str] = set()
    for one in drafted:
        question = one_line(one.question)
        if not question.endswith("?"):
            raise ValueError(f"this does not end with a question mark: {question}")
        if question.casefold() in seen:
            raise ValueError(f"this is asked twice: {question}")
        seen.add(question.casefold())


def short_query(query: str) -> str:
    """Return the first ten words to search for, as they were drafted.

    Operators and quotation marks go, because they mean nothing to the retrievers.
    """
    words = [word.strip('"“”()+') for word in one_line(query).split() if tokens(word)]
    return " ".join(words[:_MAX_QUERY_WORDS])


def _principals(aspect: Aspect, question: str, profile: ArticleProfile) -> tuple[str, ...]:
    """Return the forms of the outlet's or author's name if the question is about them by name."""
    principals = {
        Aspect.PUBLISHER: profile.outlet,
        Aspect.AUTHOR: profile.authors,
    }.get(aspect, ())
    forms = [form for name in principals if name for form in name_forms(name)]
    return tuple(dict.fromkeys(forms)) if mentions(question, forms) else ()


RUBRIC_PROMPT = load_prompt(Path(__file__).with_name("rubric.prompt.md"))

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

    asks = (Asked(RUBRIC_PROMPT, calls=1, characters=0, written=527),)

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
        RUBRIC_PROMPT,
        RubricDraft,
        check=lambda draft: check_questions(draft.questions),
        profile=profile,
        most=_MOST,
    )
    return tuple(
        as_angle(one, f"rubric-{number}", profile)
        for number, one in enumerate(draft.questions, start=1)
    )
