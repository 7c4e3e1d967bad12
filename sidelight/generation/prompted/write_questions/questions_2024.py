"""Write the questions as the organizers' baselines of 2024 did: one call, order kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sidelight.generation.prompted.write_questions.question_text import clean_question
from sidelight.llm.asked import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.question import DraftQuestions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile

PROMPT = load_prompt(Path(__file__).with_name("organizers_2024.prompt.md"))


class ListedQuestions(Value):
    """Questions, most important first."""

    questions: tuple[Annotated[str, Field(max_length=600)], ...] = Field(max_length=20)


class OrganizersQuestionWriter:
    """The role `write_questions` from the instructions to assessors alone, without evidence.

    Source: TREC 2024 Lateral Reading track overview, section 2.3.1.

    Args:
        writer: Who writes.
        questions_per_topic: How many the track wants.
        max_question_characters: The track's limit per question, in code points of the NFC text.
    """

    example = False
    """Whether the prompt shows a worked example."""

    asks = (Asked(PROMPT, calls=1, characters=0, written=154),)

    def __init__(
        self, writer: PromptedModel, questions_per_topic: int, max_question_characters: int
    ) -> None:
        self._model = writer
        self._count = questions_per_topic
        self._max_characters = max_question_characters

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return the model's questions in its order; angles and evidence are not looked at.

        Raises:
            ReplyError: There were not as many different ones within the limit, twice.
        """
        listed = await self._model.answer(
            PROMPT,
            ListedQuestions,
            check=self._check,
            profile=profile,
            count=self._count,
            max_characters=self._max_characters,
            example=self.example,
        )
        return DraftQuestions(questions=tuple(map(clean_question, listed.questions)))

    def _check(self, listed: ListedQuestions) -> None:
        questions = [clean_question(question) for question in listed.questions]
        if len(questions) != self._count:
            raise ValueError(f"expected {self._count} questions, found {len(questions)}")
        if len({question.casefold() for question in questions}) != self._count:
            raise ValueError("a question is asked twice")
        for question in questions:
            if not question.endswith("?"):
                raise ValueError(f"this does not end with a question mark: {question}")
            if len(question) > self._max_characters:
                raise ValueError(f"this has over {self._max_characters} characters: {question}")


class ExampleQuestionWriter(OrganizersQuestionWriter):
    """The same, shown a worked example."""

    example = True
