"""Usefulness ratings of documents by a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.usefulness import USEFULNESS_PROMPT, PromptedUsefulness
from sidelight.generation.rated_documents import DocumentRater
from sidelight.llm.prompted import Asked

if TYPE_CHECKING:
    from sidelight.llm.prompted import PromptedModel


class PromptedRater(DocumentRater):
    """By a model that sees ten documents at once.

    Args:
        checker: Who is asked.
    """

    # For each question, thirty documents of each of ten searches, of which half are different.
    asks = (Asked(USEFULNESS_PROMPT, calls=150, characters=14_000, written=400, model="checker"),)

    def __init__(self, checker: PromptedModel) -> None:
        super().__init__(PromptedUsefulness(checker))
