"""Which fields of a segment each kind of index reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.schemas.segment import Segment


def lexical_text(segment: Segment) -> str:
    """Return what BM25 indexes: address, title, headings and text.

    Anserini indexes the same fields of MS MARCO V2.1, so its published index and ours agree.
    """
    fields = (segment.url, segment.title, segment.headings, segment.text)
    return "\n".join(field for field in fields if field)


def passage_text(segment: Segment) -> str:
    """Return what encoders and cross-encoders read: title and text.

    They see few hundred tokens, which the headings of a page would often fill.
    """
    return f"{segment.title}\n{segment.text}" if segment.title else segment.text
