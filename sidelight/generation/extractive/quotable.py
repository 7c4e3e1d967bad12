"""The sentences of a segment that can stand alone in a report."""

from __future__ import annotations

import re

from sidelight.generation.reading.injection import gives_orders
from sidelight.generation.reading.neutrality import passes_verdict
from sidelight.text import clean, count_words, one_line, sentences

_MIN_WORDS, _MAX_WORDS = 7, 42
_MAX_LINE_WORDS = 400

_MARKUP = re.compile(r"[<>{}\[\]|\\^~`=]|https?://|www\.|@\w|#\w|&[a-z]+;")
_FIRST_OR_SECOND_PERSON = re.compile(
    r"\b(?:I|I'm|I’m|I've|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|us|[Oo]urs?|[Ww]e're"
    r"|[Yy]ou|[Yy]ours?|[Yy]ou're)\b"
)
_LEANS_ON_CONTEXT = re.compile(
    r"^[\"“‘'(]?(?:He|She|It|They|We|This|That|These|Those|Such|His|Her|Its|Their|But|And|Or|So|Yet"
    r"|Then|However|Instead|Meanwhile|Nevertheless|Nonetheless|Moreover|Furthermore|Also|Still"
    r"|Therefore|Thus|Indeed|Both|Neither|Either|One of (?:them|these)|The (?:former|latter|same)"
    r"|Other|Another|Here|There|Now|Not|Nor|Only|Even|Perhaps|Again|Similarly|Likewise"
    r"|(?:After|At|By|For|From|In|On|Under|With) (?:this|that|these|those|such)"
    r"|For (?:example|instance)|In (?:addition|contrast|fact|short|turn)|As a result)\b"
)
_SERVICE = re.compile(
    r"\b(?:cookies?|subscribe|newsletter|sign up|log in|click|read more|all rights reserved"
    r"|copyright|comments? (?:are|is)|share this|related (?:stories|articles)|advertisement)\b",
    re.IGNORECASE,
)
# "Author of the study: ..." is a label, "For the potter, see ..." a signpost, and "The column says
# ..." tells the reader what the article says, which the reader has just read.
_NO_STATEMENT = re.compile(
    r"^[^.:]{3,40}:\s|^For\s.*\bsee\b"
    r"|^(?:According to the|The)\s+(?:article|column|story|piece|post)\b"
)


def quotable_sentences(text: str) -> list[str]:
    """Return the sentences of a segment that can stand alone in a report, as they are written.

    Left out are fragments, questions, first and second person, sentences that lean on the one
    before, markup, site services and verdicts. A text that gives orders to software that reads it
    has no quotable sentence at all: its author writes for machines, not for readers.
    """
    if gives_orders(text):
        return []
    lines = [line for line in clean(text).split("\n") if count_words(line) <= _MAX_LINE_WORDS]
    return [
        one_line(sentence)
        for line in lines
        for sentence in sentences(line)
        if is_quotable(one_line(sentence))
    ]


def is_quotable(sentence: str) -> bool:
    """Tell whether one sentence can stand alone in a report; see `quotable_sentences`."""
    return (
        _MIN_WORDS <= count_words(sentence) <= _MAX_WORDS
        and sentence[0].isupper()
        and sentence.endswith(".")
        and not sentence.endswith("...")
        and sentence.count('"') % 2 == 0
        and sentence.count("“") == sentence.count("”")
        and sentence.count("(") == sentence.count(")")
        and not any(
            pattern.search(sentence)
            for pattern in (_MARKUP, _FIRST_OR_SECOND_PERSON, _SERVICE, _NO_STATEMENT)
        )
        and _LEANS_ON_CONTEXT.match(sentence) is None
        and not passes_verdict(sentence)
    )
