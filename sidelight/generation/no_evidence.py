"""Text of a report for which no evidence was found."""

from __future__ import annotations

from sidelight.schemas.investigation.report import DraftReport, DraftSentence

NO_EVIDENCE = (
    "The collection that was searched holds no other page that speaks to this outlet, its author "
    "or the article's main statements, so no outside context can be offered here."
)
NO_ANSWER = DraftReport(
    sentences=(
        DraftSentence(
            text="The collection that was searched holds nothing that answers what was asked."
        ),
    )
)
NOTHING_FOUND = DraftReport(sentences=(DraftSentence(text=NO_EVIDENCE),))
