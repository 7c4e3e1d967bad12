"""Input of usefulness raters: a reader's question and the documents found for it."""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.checks.usefulness import Document, UsefulnessCheck
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.usefulness import Usefulness
from sidelight.schemas.segment import Segment

_ARTICLE_WORDS = 400


class DocumentRater:
    """Rates documents by a check of usefulness.

    Args:
        check: Tells how useful documents are.
    """

    def __init__(self, check: UsefulnessCheck) -> None:
        self._check = check

    async def __call__(
        self, profile: ArticleProfile, question: str, documents: Sequence[Segment]
    ) -> list[Usefulness]:
        """Return the usefulness of each document, which its best segment stands for."""
        words = profile.body.split(maxsplit=_ARTICLE_WORDS)[:_ARTICLE_WORDS]
        article = f"{profile.title}\n{profile.publisher}\n{' '.join(words)}"
        shown = [Document(one.title, one.text) for one in documents]
        return await self._check(article, question, shown)
