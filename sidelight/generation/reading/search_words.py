"""The words of a text that are worth searching for, numbers and names as they are written."""

from __future__ import annotations

import re

from sidelight.text import STOPWORDS

_CODE = r"[A-Z0-9]+(?:[-/][A-Z0-9]+)+"
_NUMBER = r"[$£€]?\d+(?:[.,]\d+)*%?(?![^\W_])"
_WORD = r"[^\W_]+(?:['’-][^\W_]+)*"
_PIECE = re.compile(rf"{_CODE}|{_NUMBER}|{_WORD}")
_POSSESSIVE = re.compile(r"['’]s$")


def search_words(text: str, most: int) -> list[str]:
    """Return the first so many different words of a text that carry meaning, in order.

    A number such as `4,000` or `98.6%`, a code such as `TE-947` and the capitals of a name stay
    whole, because an index would not find their parts.
    """
    found: dict[str, str] = {}
    for match in _PIECE.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        if word.casefold() not in STOPWORDS and (len(word) > 1 or word.isdigit()):
            found.setdefault(word.casefold(), word)
    return list(found.values())[:most]
