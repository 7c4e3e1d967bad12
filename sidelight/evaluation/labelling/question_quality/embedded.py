"""How good questions are, and which an earlier one answers, by what was learned from 9,500 grades.

A question is graded by its own words, names masked. Where people have graded other questions on the
article, they correct the grade of those that are like them. From the third question of one pattern
on, whatever names it holds, a question earns nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.learned.questions.lists import closest_earlier, corrected, repeated_patterns
from sidelight.learned.questions.model import question_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.text_vectors import Encode

_USED_UP = "two earlier questions of the list are of the same pattern"


class QuestionList(Protocol):
    """What has the questions of a run on an article, the one of rank 1 first."""

    @property
    def questions(self) -> Sequence[str]:
        """Return their texts."""
        ...


class KnownGrade(NamedTuple):
    """A question on the same article with the grade that people gave it.

    Attributes:
        text: The question.
        grade: From -1 (flawed) to 4.
    """

    text: str
    grade: int


class LearnedQuestionQuality:
    """Grades questions from -1 (flawed) to 4; needs no encoder."""

    async def __call__(self, case: QuestionList) -> list[Judgment]:
        """Return one judgment for each question, in order."""
        return grades(case.questions)


class LearnedQuestionRedundancy:
    """Tells which questions an earlier one of the list answers: "1", or else "0".

    Args:
        encode: Tells how near questions are in meaning.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    async def __call__(self, case: QuestionList) -> list[Judgment]:
        """Return one judgment for each question, in order."""
        if not case.questions:
            return []
        vectors = self._encode(case.questions)
        limit = question_model().cuts.redundant
        return [
            Judgment(str(int(near >= limit)), f"nearest earlier question: cosine {near:.2f}")
            for near in closest_earlier(vectors @ vectors.T)
        ]


def grades(
    questions: Sequence[str], known: Sequence[KnownGrade] = (), encode: Encode | None = None
) -> list[Judgment]:
    """Return one judgment for each question of a list, in order.

    Args:
        questions: The list, the one of rank 1 first.
        known: What people gave to other questions on the article.
        encode: Tells how near questions are to known ones; without it, these are left out.
    """
    model = question_model()
    outlooks = [model(text) for text in questions]
    if questions and known and encode:
        cosines = encode(questions) @ encode([one.text for one in known]).T
        outlooks = corrected(
            outlooks, cosines, [model(one.text) for one in known], [one.grade for one in known]
        )
    found = []
    for outlook, used_up in zip(outlooks, repeated_patterns(questions), strict=True):
        label = model.label(outlook)
        said = f"expected grade {outlook.worth:.2f}, flawed {outlook.flawed:.2f}"
        found.append(
            Judgment(str(min(label, 0)), _USED_UP) if used_up else Judgment(str(label), said)
        )
    return found
