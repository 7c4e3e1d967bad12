"""How good the questions of a run on an article are, and which of them an earlier one answers."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - a NamedTuple reads it
from typing import NamedTuple

from sidelight.evaluation.labelling.protocol import LabellingProtocol
from sidelight.schemas.article import Article  # noqa: TC001 - a NamedTuple reads it
from sidelight.tracks import scale_named


class QuestionListCase(NamedTuple):
    """What a run asks about an article.

    Attributes:
        article: The article.
        questions: The questions, the one of rank 1 first.
    """

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
