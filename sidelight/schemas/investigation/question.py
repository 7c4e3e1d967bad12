"""Questions before and after the track's limits have been checked."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from sidelight.errors import InputError
from sidelight.schemas.base import Value
from sidelight.text import one_line


class DraftQuestions(Value):
    """What a writer proposes: any number of questions, most important first."""

    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Exactly the questions a track asks for; constructing one checks it.

    Args:
        topic_id: The topic.
        questions: Rank 1 first.
        count: How many the track wants.
        max_characters: Limit per question, in code points of the NFC text.

    Raises:
        InputError: A question is empty, too long, repeated, or not a clean single line, or the
            number is wrong.
    """

    topic_id: str
    questions: tuple[str, ...]
    count: int
    max_characters: int

    def __post_init__(self) -> None:
        """Check every limit."""
        if len(self.questions) != self.count:
            raise InputError(
                f"{self.topic_id}: expected {self.count} questions, found {len(self.questions)}"
            )
        if len({question.casefold() for question in self.questions}) != self.count:
            raise InputError(f"{self.topic_id}: a question occurs twice")
        for question in self.questions:
            if not question or question != one_line(question) or question.startswith('"'):
                raise InputError(f"{self.topic_id}: not a clean single line: {question!r}")
            if len(unicodedata.normalize("NFC", question)) > self.max_characters:
                raise InputError(
                    f"{self.topic_id}: over {self.max_characters} characters: {question!r}"
                )

    @property
    def content(self) -> tuple[str, ...]:
        """What a run file holds."""
        return self.questions
