"""What assessors wanted a reader to know about an article."""

from __future__ import annotations

from collections import Counter
from typing import Self

from pydantic import model_validator

from sidelight.schemas.base import Value
from sidelight.schemas.grading.bank import Bank, BankItem


class RubricAnswer(Value):
    """An expected short answer.

    Attributes:
        answer_id: Unique within the topic, e.g. `na-3`.
        text: One factual sentence.
        references: URLs that each support the answer on their own.
    """

    answer_id: str
    text: str
    references: tuple[str, ...] = ()


class RubricQuestion(BankItem):
    """A question a careful reader should have answered.

    Attributes:
        question_id: Ends in `-<rank>`.
        rank: 1-based; what assessments refer to.
        answers: At least one.
    """

    question_id: str
    rank: int
    answers: tuple[RubricAnswer, ...]


class Rubric(Bank):
    """All questions of one topic."""

    questions: tuple[RubricQuestion, ...]

    @property
    def items(self) -> tuple[RubricQuestion, ...]:
        """Return the questions."""
        return self.questions

    @property
    def answers(self) -> tuple[RubricAnswer, ...]:
        """Return the answers that are expected of a report, question by question."""
        return tuple(answer for question in self.questions for answer in question.answers)

    @model_validator(mode="after")
    def _unique(self) -> Self:
        names = [f"question rank {question.rank}" for question in self.questions]
        names += [f"answer id {answer.answer_id}" for answer in self.answers]
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise ValueError(f"topic {self.topic_id}: {repeated[0]} occurs twice")
        if not self.questions or any(not question.answers for question in self.questions):
            raise ValueError(f"topic {self.topic_id}: every rubric and question needs an answer")
        return self
