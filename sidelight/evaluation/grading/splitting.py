"""Generated texts cut into passages of a length that graders take: paragraphs first.

Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 4.2: passages of 400 tokens at most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.text import clean, sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TOKENS = 400

# What no tokeniser takes for less than one token: a punctuation mark, or up to so many letters.
_TOKEN = re.compile(r"\w{1,16}|[^\w\s]")
_BLANK_LINE = re.compile(r"\n\s*\n")


def count_tokens(text: str) -> int:
    """Count words and punctuation marks; a very long word is several."""
    return sum(1 for _ in _TOKEN.finditer(text))


def split_passages(text: str, limit: int = MAX_TOKENS) -> list[str]:
    """Return the passages of a text, in order; together they have all its words, each once.

    A paragraph is a passage. One over the limit is cut between sentences, each passage as full as
    it can be, and a sentence over the limit between words.

    Args:
        text: Any text; a blank line ends a paragraph, or any line end where there is no blank line.
        limit: The most tokens of a passage; at least 1.
    """
    text = clean(text)
    between = _BLANK_LINE if _BLANK_LINE.search(text.strip()) else re.compile(r"\n")
    return [
        passage for paragraph in between.split(text) for passage in _full_passages(paragraph, limit)
    ]


def _full_passages(paragraph: str, limit: int) -> Iterator[str]:
    """Yield the passages of a paragraph."""
    held: list[str] = []
    length = 0
    for piece in _pieces(" ".join(paragraph.split()), limit):
        size = count_tokens(piece)
        if held and length + size > limit:
            yield " ".join(held)
            held, length = [], 0
        held.append(piece)
        length += size
    if held:
        yield " ".join(held)


def _pieces(paragraph: str, limit: int) -> Iterator[str]:
    """Yield sentences, or the words of sentences that are over the limit."""
    if not paragraph:
        return
    if count_tokens(paragraph) <= limit:
        yield paragraph
        return
    for start, end in sentence_spans(paragraph):
        sentence = paragraph[start:end]
        if count_tokens(sentence) <= limit:
            yield sentence
        else:
            for word in sentence.split():
                yield from _word_pieces(word, limit)


def _word_pieces(word: str, limit: int) -> Iterator[str]:
    """Yield a word, or parts of one that is over the limit by itself."""
    if count_tokens(word) <= limit:
        yield word
        return
    places = [match.start() for match in _TOKEN.finditer(word)]
    places[0] = 0
    starts = places[::limit]
    for start, end in zip(starts, [*starts[1:], len(word)], strict=True):
        yield word[start:end]
