"""Whether a text is an article, and what to do where it is none."""

from __future__ import annotations

import re

from sidelight.text import clean, count_words, sentences

MIN_WORDS = 50
_MIN_SENTENCES = 3
_MIN_LETTERS = 0.6  # of what is no white space; prose has more than nine in ten
_ADDRESS = re.compile(r"(?:https?://|www\.)\S{1,2000}", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")


def why_no_article(text: str) -> str:
    """Return why a text cannot be investigated, and what to do; empty where it can be."""
    text = clean(text)
    words, inked = count_words(text), "".join(text.split())
    if _ADDRESS.fullmatch(text.strip()):
        return (
            "That is an address, and nothing is fetched from addresses. Open the page, and paste "
            "the text of the article."
        )
    letters = sum(character.isalpha() for character in inked)
    if letters < _MIN_LETTERS * len(inked):
        return "That looks like data or code. Paste the text of a news article."
    if words < MIN_WORDS:
        return (
            f"The text has {words} word{'s' if words != 1 else ''}; an article has {MIN_WORDS} or "
            "more. Paste all of its text."
        )
    whole = sum(_ENDS.search(one) is not None for one in sentences(text))
    if whole < _MIN_SENTENCES:
        return (
            "The text holds hardly a whole sentence, as menus and lists do. Paste the text of the "
            "article itself."
        )
    return ""
