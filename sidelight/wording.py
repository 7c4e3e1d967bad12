"""What a text says as far as its form tells: words without endings, names, figures, negation.

What is read is never taken for instructions: a text counts by its words alone, after marks that
cannot be seen have been removed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sidelight.text import STOPWORDS, content_words, numbers, one_line, tokens

_WORD = re.compile(r"[^\W\d_]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|edly|ed|ies|es|s|ly)$")
_STEM_LENGTH = 6
_NEGATIONS = frozenset({"no", "not", "never", "neither", "nor", "none", "nobody", "nothing"})
_POINTS_AT_ARTICLE = re.compile(
    r"\b(?:this|the)\s+(?:(?:news|same)\s+)?"
    r"(?:article|authors?|piece|sources?|story|text|writer)\b"
    r"(?!\s+(?:of|for|on|about|behind|by)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=65_536)  # a text is compared with many others
def stems(text: str) -> frozenset[str]:
    """Return the content words of a text cut to what their inflections share."""
    return frozenset(
        _ENDING.sub("", word.removesuffix("'s"))[:_STEM_LENGTH]
        for word in content_words(one_line(text))
    )


def names(text: str) -> frozenset[str]:
    """Return the capitalised words of a text, case-folded, stop words left out."""
    words = (match.group() for match in _WORD.finditer(one_line(text)))
    return frozenset(
        word.casefold() for word in words if word[0].isupper() and word.casefold() not in STOPWORDS
    )


def figures(text: str) -> set[str]:
    """Return the figures of a text."""
    return numbers(one_line(text))


def is_negated(text: str) -> bool:
    """Tell whether a text holds a word such as "not"."""
    words = set(tokens(one_line(text)))
    return bool(words & _NEGATIONS) or any(word.endswith("n't") for word in words)


def pointing_at_article(question: str) -> str:
    """Return the words by which a question points at an article unnamed, or nothing.

    "The author of the novel" says whose author; "the author" does not.
    """
    match = _POINTS_AT_ARTICLE.search(question)
    return match.group() if match else ""
