"""Searches that find what a text is about, and nothing that only shares its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.reading.search_words import search_words
from sidelight.text import content_words

if TYPE_CHECKING:
    from sidelight.schemas.investigation.profile import ArticleProfile

_QUERY_WORDS, _KEYWORDS = 12, 2


def with_context(text: str, profile: ArticleProfile) -> str:
    """Return the telling words of a text, with the article's subject or keywords it lacks."""
    held = set(content_words(text))
    subject = search_words(profile.subject, _QUERY_WORDS)
    lacking = [word for word in subject if word.casefold() not in held]
    keywords = [word for word in profile.keywords if word not in held][:_KEYWORDS]
    return " ".join([*search_words(text, _QUERY_WORDS), *(lacking or keywords)])
