"""From what a writer cited to the citations a run file holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.investigation.report import (
    DraftReport,
    DroppedCitation,
    Report,
    ReportLimits,
)
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import document_id_of, overlapping

if TYPE_CHECKING:
    from sidelight.schemas.investigation.evidence import EvidenceSet


def resolve_report(
    topic_id: str, draft: DraftReport, evidence: EvidenceSet, limits: ReportLimits
) -> tuple[Report, tuple[DroppedCitation, ...]]:
    """Return the report within the track's rules for citations, and what was dropped for them.

    What is no evidence of this topic goes; so do the second of two overlapping windows and whatever
    is beyond the limit.

    Raises:
        InputError: What is left breaks a limit of the track.
    """
    known = frozenset(evidence.segment_ids().values())
    dropped: list[DroppedCitation] = []
    sentences = []
    for sentence in draft.sentences:
        cited: list[str] = []
        for segment_id in dict.fromkeys(sentence.segment_ids):
            reason = (
                _refusal(topic_id, segment_id, cited, limits.max_citations)
                if segment_id in known
                else "no such evidence"
            )
            if reason:
                dropped.append(DroppedCitation(segment_id=segment_id, reason=reason))
            else:
                cited.append(segment_id)
        sentences.append(CitedSentence(text=sentence.text, citations=tuple(cited)))
    report = Report(
        topic_id=topic_id,
        sentences=tuple(sentences),
        evidence_ids=known,
        limits=limits,
    )
    return report, tuple(dropped)


def _refusal(topic_id: str, segment_id: str, cited: list[str], limit: int) -> str:
    if document_id_of(segment_id) == topic_id:
        return "the target article itself"
    if overlapping(segment_id, cited):
        return "overlaps a window already cited"
    return "more citations than a sentence may have" if len(cited) >= limit else ""
