"""The words of a question, its names and numbers masked so that none of them earns anything."""

from __future__ import annotations

import re
from functools import lru_cache

MAX_RUN = 3
_MAX_WORDS = 80  # of a question that are looked at

_PIECE = re.compile(r"[\w'’-]{1,60}|[?,;:\"“”]")


@lru_cache(maxsize=10_000)
def masked(question: str) -> tuple[str, ...]:
    """Return the words and marks of a question in order, small; neighbouring names are one."""
    words: list[str] = []
    for place, piece in enumerate(_PIECE.findall(question)[:_MAX_WORDS]):
        if place and piece[0].isupper():
            if words[-1] != "NAME":
                words.append("NAME")
        else:
            words.append("NUMBER" if piece[0].isdigit() else piece.casefold())
    return tuple(words)


def runs(question: str) -> frozenset[str]:
    """Return the runs of one to three masked words of a question; `^` marks the beginning."""
    words = ("^", *masked(question))
    return frozenset(
        " ".join(words[start : start + size])
        for size in range(1, MAX_RUN + 1)
        for start in range(len(words) - size + 1)
    )
