"""Write the questions without a model: the angles' own questions, ranked and spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.investigation.question import DraftQuestions
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import TextVectors

_SAME_QUESTION = 0.88
_REPEATED_ASPECT = 0.85
_UNANSWERED = 0.9


class ExtractiveQuestionWriter:
    """The role `write_questions` without a model.

    Args:
        sentences: Encodes questions, to tell when two ask the same.
        questions_per_topic: How many the track wants.
        max_question_characters: The track's limit per question.
    """

    def __init__(
        self, sentences: TextVectors, questions_per_topic: int, max_question_characters: int
    ) -> None:
        self._sentences = sentences
        self._count = questions_per_topic
        self._max_characters = max_question_characters

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return the questions by falling weight, each aspect worth less the more it has asked."""
        covered = evidence.covers(angle.angle_id for angle in angles)
        open_angles = {
            one_line(angle.question): angle
            for angle in angles
            if len(one_line(angle.question)) <= self._max_characters
        }
        worth = {
            question: angle.weight * (1.0 if angle.angle_id in covered else _UNANSWERED)
            for question, angle in open_angles.items()
        }
        chosen: list[str] = []
        while worth and len(chosen) < self._count:
            best = max(worth, key=lambda question: (worth[question], question))
            del worth[best]
            if self._repeats(best, chosen):
                continue
            chosen.append(best)
            for question in worth:
                if open_angles[question].aspect == open_angles[best].aspect:
                    worth[question] *= _REPEATED_ASPECT
        missing = self._count - len(chosen)
        reserve = reserve_questions(profile, self._max_characters)
        chosen += [question for question in reserve if question not in chosen][:missing]
        return DraftQuestions(questions=tuple(chosen))

    def _repeats(self, question: str, chosen: Sequence[str]) -> bool:
        return bool((self._sentences.similarity([question], chosen) >= _SAME_QUESTION).any())


def reserve_questions(profile: ArticleProfile, max_characters: int) -> list[str]:
    """Return questions on the subject for an article that names too little to ask about."""
    subject = one_line(profile.subject)[:120]
    return [
        one_line(f"{opening} {subject[: max_characters - len(opening) - 2]}?")
        for opening in (
            "Who first reported on",
            "Which primary sources document",
            "What do specialists disagree about regarding",
            "Which groups have a stake in",
            "How have news agencies reported on",
            "What has changed since the article was published regarding",
            "What is commonly misunderstood about",
            "How do official bodies describe",
            "Which risks have been reported in connection with",
            "What do people directly affected say about",
        )
    ]
