"""Write the ten questions without a model: typed facts in wordings that people graded well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.compound_rules import compound_reason
from sidelight.generation.extractive.asking import Question, questions_about, wording
from sidelight.generation.question_worth.model import fitted_question_worth
from sidelight.schemas.question import DraftQuestions
from sidelight.text import count_words, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.generation.extractive.sentence_index import SentenceIndex
    from sidelight.schemas.angle import Angle
    from sidelight.schemas.evidence import EvidenceSet
    from sidelight.schemas.profile import ArticleProfile

_SAME_QUESTION = 0.88
_REPEATED_ASPECT = 0.9
_UNANSWERED = 0.85
_MAX_WORDS = 25
_MAX_GENERIC = 4
_MAX_LINKS = 2
_TRUST_IN_GRADES = 0.5
_CLEARLY_WORSE = 0.8  # grades below the best wording of the same question


class ExtractiveQuestionWriter:
    """The role `write_questions` without a model.

    Args:
        index: Encodes questions, to tell when two ask the same.
        count: How many the track wants.
        max_characters: The track's limit per question.
    """

    def __init__(self, index: SentenceIndex, count: int, max_characters: int) -> None:
        self._index = index
        self._count = count
        self._max_characters = max_characters

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return the questions by falling worth, each aspect worth less the more it has asked.

        A question is worth its expected importance times the square root of the grade that people would give it.
        """
        covered = evidence.covers(angle.angle_id for angle in angles)
        worth_of = fitted_question_worth()
        open_questions: dict[str, Question] = {}
        worth: dict[str, float] = {}
        for question in [*_linked(angles, profile), *questions_about(profile)]:
            text = self._worded(question, profile)
            if text and text not in worth:
                open_questions[text] = question
                answered = not question.angle or question.angle in covered
                worth[text] = question.weight * max(0.5, worth_of(text)) ** _TRUST_IN_GRADES
                worth[text] *= 1.0 if answered else _UNANSWERED
        chosen: list[str] = []
        generic = 0
        while worth and len(chosen) < self._count:
            best = max(worth, key=lambda text: (worth[text], text))
            del worth[best]
            if self._repeats(best, chosen):
                continue
            if open_questions[best].generic:
                if generic == _MAX_GENERIC:
                    continue
                generic += 1
            chosen.append(best)
            for text in worth:
                if open_questions[text].aspect == open_questions[best].aspect:
                    worth[text] *= _REPEATED_ASPECT
        reserve = reserve_questions(profile, self._max_characters)
        chosen += [text for text in reserve if text not in chosen][: self._count - len(chosen)]
        return DraftQuestions(questions=tuple(chosen))

    def _worded(self, question: Question, profile: ArticleProfile) -> str:
        """Return the wording of a question for this topic: none that is clearly worse than another.

        None is left where all are too long or ask two things.
        """
        fit = [
            text
            for text in map(one_line, question.texts)
            if len(text) <= self._max_characters
            and count_words(text) <= _MAX_WORDS
            and compound_reason(text) is None
        ]
        if not fit:
            return ""
        worth = fitted_question_worth()
        least = max(map(worth, fit)) - _CLEARLY_WORSE
        return next(text for text in wording(fit, profile.title) if worth(text) >= least)

    def _repeats(self, question: str, chosen: Sequence[str]) -> bool:
        return bool((self._index.similarity([question], chosen) >= _SAME_QUESTION).any())


def _linked(angles: Sequence[Angle], profile: ArticleProfile) -> list[Question]:
    """Return questions on the ties that the investigation came upon, whoever planned it."""
    principal = profile.authors[0] if profile.authors else profile.publisher
    return [
        Question(
            angle.angle_id,
            angle.aspect,
            3.3,
            (
                f"What ties does {principal} have to {angle.must_mention[0]}?",
                f"What is the relationship between {principal} and {angle.must_mention[0]}?",
                f"What role has {principal} had at {angle.must_mention[0]}?"
                if profile.authors
                else f"What role does {angle.must_mention[0]} play at {principal}?",
                f"How is {principal} connected with {angle.must_mention[0]}?",
            ),
            angle.angle_id,
        )
        for angle in [one for one in angles if one.angle_id.startswith("link-")][:_MAX_LINKS]
    ]


def reserve_questions(profile: ArticleProfile, max_characters: int) -> list[str]:
    """Return ten questions on the subject for an article that names too little to ask about."""
    subject = " ".join(one_line(profile.subject).split()[:12])[:120]
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
