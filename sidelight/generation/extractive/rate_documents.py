"""Tell how useful documents are without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.usefulness import NearestSentence
from sidelight.generation.rated_documents import DocumentRater

if TYPE_CHECKING:
    from sidelight.text_vectors import Encode


class ExtractiveRater(DocumentRater):
    """By the sentence of each document that comes nearest to the question.

    Args:
        encode: Texts to vectors.
    """

    def __init__(self, encode: Encode) -> None:
        super().__init__(NearestSentence(encode))
