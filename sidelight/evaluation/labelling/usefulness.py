"""Usefulness of documents for a reader of an article who has a question."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - a NamedTuple reads it
from typing import TYPE_CHECKING, NamedTuple

from sidelight.checks.usefulness import Document  # noqa: TC001 - a NamedTuple reads it
from sidelight.evaluation.labelling.protocol import Judgment, LabellingProtocol
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.investigation.usefulness import USEFULNESS_SCALE
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.checks.usefulness import UsefulnessCheck


class UsefulnessCase(NamedTuple):
    """A question with documents.

    Attributes:
        article: Title and text of what was read.
        question: What a reader wants to know.
        documents: What was found.
    """

    article: str
    question: str
    documents: Sequence[Document]


USEFULNESS = LabellingProtocol[UsefulnessCase](
    name="usefulness of documents",
    scale=USEFULNESS_SCALE,
    units=lambda case: [str(place) for place in range(1, len(case.documents) + 1)],
)
"""Labels by document, in order."""


class UsefulnessLabeller:
    """Labels as those who rank documents do.

    Args:
        check: Tells how useful documents are.
    """

    def __init__(self, check: UsefulnessCheck) -> None:
        self._check = check

    async def __call__(self, case: UsefulnessCase) -> list[Judgment]:
        """Return one judgment for each document, in order."""
        found = await self._check(case.article, case.question, case.documents)
        return [
            Judgment(one.label or Unjudged(reason=one.reason), one_line(one.reason))
            for one in found
        ]
