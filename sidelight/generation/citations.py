"""From the evidence keys a writer named to the segment ids a run file holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.schemas.report import DraftReport, Report, ReportLimits
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import are_adjacent, document_id_of

if TYPE_CHECKING:
    from sidelight.schemas.evidence import EvidenceSet


class DroppedCitation(NamedTuple):
    """A key that did not become a citation, and why."""

    evidence_key: str
    reason: str


def resolve_report(
    topic_id: str, draft: DraftReport, evidence: EvidenceSet, limits: ReportLimits
) -> tuple[Report, tuple[DroppedCitation, ...]]:
    """Return the report with segment ids for keys, and what was dropped on the way.

    A key that names no evidence is invented; the first of two overlapping windows is kept; keys
    beyond the limit go.

    Raises:
        InputError: What is left breaks a limit of the track.
    """
    segment_ids = evidence.segment_ids()
    dropped: list[DroppedCitation] = []
    sentences = []
    for sentence in draft.sentences:
        cited: list[str] = []
        for key in dict.fromkeys(sentence.evidence_keys):
            segment_id = segment_ids.get(key)
            reason = _refusal(topic_id, segment_id, cited, limits.max_citations)
            if segment_id is None or reason:
                dropped.append(DroppedCitation(key, reason))
            else:
                cited.append(segment_id)
        sentences.append(CitedSentence(text=sentence.text, citations=tuple(cited)))
    report = Report(
        topic_id=topic_id,
        sentences=tuple(sentences),
        evidence_ids=frozenset(segment_ids.values()),
        limits=limits,
    )
    return report, tuple(dropped)


def _refusal(topic_id: str, segment_id: str | None, cited: list[str], limit: int) -> str:
    if segment_id is None:
        return "no such evidence"
    if document_id_of(segment_id) == topic_id:
        return "the target article itself"
    if any(are_adjacent(segment_id, other) for other in cited):
        return "overlaps a window already cited"
    return "more citations than a sentence may have" if len(cited) >= limit else ""
