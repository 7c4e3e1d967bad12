"""Question writer without a model: chooses questions by predicted grade and variety."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from sidelight.checks.questions import compound_reason
from sidelight.generation.extractive.write_questions.asking import questions_about
from sidelight.generation.extractive.write_questions.subjects import outlet_name, subject_of
from sidelight.learned.questions import question_model
from sidelight.schemas.investigation.report import DraftQuestions
from sidelight.text import count_words, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.generation.extractive.asked import Question
    from sidelight.schemas.investigation.angle import Angle, ArticleProfile
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.text_vectors import TextVectors

# Of 123 questions that stand at .84 and more from an earlier one of their list, people called 15 %
# redundant (2024, lists of one article and run): one study is asked about in two ways.
SAME_QUESTION = 0.92
_REPEATED_ASPECT = 0.93
_UNANSWERED = 0.85
_MAX_QUESTION_WORDS = 25
_MAX_GENERIC = 4
_LEAST_GRADE = 0.5
_TRUST_IN_GRADES = 0.35
_CLEARLY_WORSE = 0.8  # grades below the best wording of the same question


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
        """Return the questions by falling worth, each aspect worth less the more it has asked.

        A question is worth its expected importance, times a power of the grade it would get. It is
        worth less where its angle was searched for and nothing was found; what nobody searched for
        is not known to have no answer.
        """
        searched = {angle.angle_id for angle in angles}
        unanswered = searched - evidence.covers(searched)
        outlet = outlet_name(profile, [item.segment.text for item in evidence.items])
        asked = {
            text: question
            for question in reversed(questions_about(profile, angles, outlet))
            if (text := self._worded(question, profile.title))
        }
        worth = {
            text: question.weight
            * max(_LEAST_GRADE, question_model()(text).worth) ** _TRUST_IN_GRADES
            * (_UNANSWERED if question.angle_id in unanswered else 1.0)
            for text, question in asked.items()
        }
        chosen: list[str] = []
        while worth and len(chosen) < self._count:
            best = max(worth, key=lambda text: (worth[text], text))
            del worth[best]
            generic = sum(asked[text].is_generic for text in chosen)
            if self._repeats(best, chosen) or (asked[best].is_generic and generic == _MAX_GENERIC):
                continue
            chosen.append(best)
            for text in worth:
                if asked[text].aspect == asked[best].aspect:
                    worth[text] *= _REPEATED_ASPECT
        reserve = reserve_questions(profile, self._max_characters)
        chosen += [text for text in reserve if text not in chosen][: self._count - len(chosen)]
        return DraftQuestions(questions=tuple(chosen))

    def _worded(self, question: Question, title: str) -> str:
        """Return one wording of a question, which depends on the topic alone.

        None is clearly worse than another, too long or asks two things; empty if that leaves none.
        """
        fit = [
            text
            for text in map(one_line, question.texts)
            if len(text) <= self._max_characters
            and count_words(text) <= _MAX_QUESTION_WORDS
            and compound_reason(text) is None
        ]
        worth = [question_model()(text).worth for text in fit]
        good = [
            text
            for text, grade in zip(fit, worth, strict=True)
            if grade >= max(worth) - _CLEARLY_WORSE
        ]
        # Topics differ in their wordings, and a topic has the same ones whenever it is run.
        return good[zlib.crc32(f"{title}\n{good[0]}".encode()) % len(good)] if good else ""

    def _repeats(self, question: str, chosen: Sequence[str]) -> bool:
        return bool((self._sentences.similarity([question], chosen) >= SAME_QUESTION).any())


def reserve_questions(profile: ArticleProfile, max_characters: int) -> list[str]:
    """Return questions on the subject for an article that names too little to ask about."""
    subject = " ".join(one_line(subject_of(profile).text).split()[:12])[:120]
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
