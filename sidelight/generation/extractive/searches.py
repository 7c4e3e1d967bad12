"""Searches that find what a text is about, and nothing that only shares its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.reading.search_words import search_words
from sidelight.text import content_words

if TYPE_CHECKING:
    from sidelight.schemas.investigation.profile import ArticleProfile

_QUERY_WORDS = 12


def with_context(text: str, profile: ArticleProfile) -> str:
    """Return the telling words of a text and a name or keywords of the article it lacks."""
    words = search_words(text, _QUERY_WORDS)
    held = content_words(text)
    names = [name for name in (*profile.people, *profile.organisations) if name not in text]
    extra = names[:1] or [word for word in profile.keywords if word not in held][:2]
    return " ".join([*words, *extra])
