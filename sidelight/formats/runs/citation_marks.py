"""Citation marks that a model wrote into a sentence: `【msmarco_v2.1_doc_16_199#2_221】`.

gpt-oss models write them unasked. They count as words, show segment ids to a reader, and cite
nothing as long as they stand in the text.
"""

from __future__ import annotations


def has_citation_marks(text: str) -> bool:
    """Tell whether a text holds an opening or closing bracket of a mark."""
    return "【" in text or "】" in text
