"""What the model of good questions sees of one: its words with names and numbers masked, counts."""

from __future__ import annotations

import re

MAX_RUN = 3
COUNTS = ("names", "words", "characters", "says article", "says and", "has a number")

_PIECE = re.compile(r"[\w'’-]+|[?,;:\"“”]")
_NAMES = re.compile(r"(?<=\s)[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*")
_ARTICLE = re.compile(r"\b(?:this|the) (?:article|author|piece|source|story)", re.IGNORECASE)


def runs(question: str) -> frozenset[str]:
    """Return the runs of one to three words of a question, names and numbers masked.

    Neighbouring names are one; `^` marks the beginning.
    """
    words = ["^"]
    for place, piece in enumerate(_PIECE.findall(question)):
        if place and piece[0].isupper():
            if words[-1] != "NAME":
                words.append("NAME")
        else:
            words.append("NUMBER" if piece[0].isdigit() else piece.casefold())
    return frozenset(
        " ".join(words[start : start + size])
        for size in range(1, MAX_RUN + 1)
        for start in range(len(words) - size + 1)
    )


def counts(question: str) -> tuple[float, ...]:
    """Return the figures that `COUNTS` names."""
    return (
        float(min(len(_NAMES.findall(question)), 4)),
        min(len(question.split()), 40) / 10,
        len(question) / 100,
        float(_ARTICLE.search(question) is not None),
        float(" and " in question),
        float(re.search(r"\d", question) is not None),
    )
