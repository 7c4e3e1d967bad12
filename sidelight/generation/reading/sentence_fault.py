"""Why a sentence cannot stand in a report, as far as its form tells."""

from __future__ import annotations

import re

from sidelight.formats.runs.citation_marks import has_citation_marks
from sidelight.generation.reading.neutrality import passes_verdict
from sidelight.text import one_line, sentences

# A segment id, or an evidence key that is marked as one: "E1" alone may be a street or a vitamin.
_ID = re.compile(r"\w_doc_\d|[\[(]\s*[EC]\d+(?:\s*[,;]\s*[EC]\d+)*\s*[\])]|<<<|>>>", re.ASCII)


def sentence_fault(text: str) -> str:
    """Return what is wrong with a sentence, or nothing.

    It has to be one sentence on one clean line, without citation marks, segment ids or evidence
    keys, and without a verdict.
    """
    if not text or text != one_line(text):
        return "not a clean single line"
    if has_citation_marks(text) or _ID.search(text):
        return "a citation or an id stands in the text"
    if len(sentences(text)) != 1:
        return "more than one sentence"
    if passes_verdict(text):
        return "a verdict instead of context"
    return ""
