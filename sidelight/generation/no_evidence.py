"""Text of a report for which no evidence was found."""

from __future__ import annotations

from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence

NO_EVIDENCE = (
    "The collection that was searched holds no other page that speaks to this outlet, its author "
    "or the article's main statements, so no outside context can be offered here."
)
NOTHING_STANDS = (
    "Pages were found, but none of them gave a statement about this outlet, its author or the "
    "article's subject that could be told with its source, so no context is offered here."
)
SAYS_NOTHING = frozenset({NO_EVIDENCE, NOTHING_STANDS})
"""Sentences of ours that cite nothing."""
NO_ANSWER = DraftReport(
    sentences=(
        DraftSentence(
            text="The collection that was searched holds nothing that answers what was asked."
        ),
    )
)
NOTHING_FOUND = DraftReport(sentences=(DraftSentence(text=NO_EVIDENCE),))


def nothing_told(evidence: EvidenceSet) -> DraftReport:
    """Return a report without content: it says whether nothing was found or nothing stood."""
    if not evidence.items:
        return NOTHING_FOUND
    return DraftReport(sentences=(DraftSentence(text=NOTHING_STANDS),))
