"""How useful documents are for somebody who has read an article and has a question."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - a NamedTuple reads it
from typing import NamedTuple

from sidelight.checks.usefulness import Document  # noqa: TC001 - a NamedTuple reads it
from sidelight.evaluation.labelling.protocol import LabellingProtocol
from sidelight.schemas.investigation.usefulness import USEFULNESS_SCALE


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
