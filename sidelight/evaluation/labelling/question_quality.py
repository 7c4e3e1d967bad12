"""Question quality: a grade for each question of a run, and which questions repeat an earlier one.

The learned labeller is fitted on 9,500 grades. A question is graded by its own words, names masked.
From the third question of one pattern on, whatever names it holds, a question earns nothing. The
prompted labeller makes one call for the list of a run on an article.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judge import Judgment, LabellingProtocol
from sidelight.learned.questions import closest_earlier, question_model, repeated_patterns
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import OneOf
from sidelight.schemas.topic import Article
from sidelight.text_vectors import Encode
from sidelight.tracks import scale_named


class QuestionListCase(NamedTuple):
    """Questions of a run on an article, the one of rank 1 first, to be graded."""

    article: Article
    questions: Sequence[str]


def _ranks(case: QuestionListCase) -> list[str]:
    return [str(rank) for rank in range(1, len(case.questions) + 1)]


QUESTION_QUALITY = LabellingProtocol[QuestionListCase](
    name="question quality", scale=scale_named("question_quality"), units=_ranks
)
"""A grade for each question."""

QUESTION_REDUNDANCY = LabellingProtocol[QuestionListCase](
    name="redundancy of questions", scale=scale_named("redundancy"), units=_ranks
)
"""Whether an earlier question of the list answers each."""


_USED_UP = "two earlier questions of the list are of the same pattern"


async def grade_questions(case: QuestionListCase) -> list[Judgment]:
    """Return a grade from -1 (flawed) to 4 for each question, in order; needs no encoder."""
    model = question_model()
    found = []
    for text, used_up in zip(case.questions, repeated_patterns(case.questions), strict=True):
        outlook = model(text)
        label = model.label(outlook)
        said = f"expected grade {outlook.worth:.2f}, flawed {outlook.flawed:.2f}"
        found.append(
            Judgment(str(min(label, 0)), _USED_UP) if used_up else Judgment(str(label), said)
        )
    return found


async def tell_redundant(encode: Encode, case: QuestionListCase) -> list[Judgment]:
    """Return for each question "1" if an earlier one of the list answers it, or else "0"."""
    if not case.questions:
        return []
    vectors = encode(case.questions)
    limit = question_model().cuts.redundant
    return [
        Judgment(str(int(near >= limit)), f"nearest earlier question: cosine {near:.2f}")
        for near in closest_earlier(vectors @ vectors.T)
    ]


QUALITY_PROMPT = load_prompt(Path(__file__).with_name("question_quality.prompt.md"))


class GradedQuestion(Value):
    """The grade of one question."""

    rank: str
    reason: str
    grade: Annotated[str, OneOf(QUESTION_QUALITY.scale.names)]
    redundant: Annotated[str, OneOf(QUESTION_REDUNDANCY.scale.names)]


class GradedList(Value):
    """The grades of a list."""

    grades: tuple[GradedQuestion, ...]


async def ask_about_questions(
    assessor: Assessor, label: Callable[[GradedQuestion], str], case: QuestionListCase
) -> list[Judgment]:
    """Return a model's judgment on each question of a list, in order.

    Quality and redundancy are asked for in one call, so that the second of the two to be wanted
    costs nothing: the reply is in the cache. `label` says which part of a graded question is its
    label.
    """
    if not case.questions:
        return []
    return await assessor.judgments(
        (case.article.topic_id,),
        QUALITY_PROMPT,
        GradedList,
        _ranks(case),
        lambda answer: ((one.rank, Judgment(label(one), one.reason)) for one in answer.grades),
        article=case.article,
        questions=list(case.questions),
    )
