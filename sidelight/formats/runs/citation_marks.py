"""Citation marks that a model wrote into a sentence: `【msmarco_v2.1_doc_16_199#2_221】`.

gpt-oss models write them unasked. They count as words, show segment ids to a reader, and cite
nothing as long as they stand in the text.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"\s*【([^【】]*)】")
_SEPARATOR = re.compile(r"[\s,;，、]+")


def has_citation_marks(text: str) -> bool:
    """Tell whether a text holds an opening or closing bracket of a mark."""
    return "【" in text or "】" in text


def strip_citation_marks(text: str) -> tuple[str, list[str]]:
    """Take the marks out of a text.

    Returns:
        The text without marks and the white space before them, and the ids in the marks, each
        once, in order of appearance.
    """
    ids = [
        segment_id
        for inside in _MARK.findall(text)
        for segment_id in _SEPARATOR.split(inside)
        if segment_id
    ]
    return _MARK.sub("", text).strip(), list(dict.fromkeys(ids))
