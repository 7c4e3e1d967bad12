"""Fill the room in a report with sentences that wait in reserve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.compose import Candidate, compose
from sidelight.generation.no_evidence import NOTHING_FOUND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.report import DraftReport, DraftSentence


def refill(
    draft: DraftReport,
    angles: Sequence[Angle],
    evidence: EvidenceSet,
    max_words: int,
    say_the_same: Callable[[Candidate, Candidate], bool],
) -> DraftReport:
    """Return the draft with what `compose` adds to it from its reserve, at its end.

    Nothing is taken away. A draft that stays empty says that nothing was found.

    Args:
        draft: What stands, and the reserve.
        angles: What the report is to cover.
        evidence: Everything the sentences may cite.
        max_words: The track's limit.
        say_the_same: See `compose`.
    """
    standing = as_candidates(draft.sentences, evidence)
    waiting = as_candidates(draft.reserve, evidence)
    weights = {angle.angle_id: angle.weight for angle in angles}
    added = compose(waiting, weights, max_words, say_the_same, standing=standing)
    sentence_of = {
        id(candidate): sentence for candidate, sentence in zip(waiting, draft.reserve, strict=True)
    }
    fresh = [sentence_of.pop(id(candidate)) for candidate in added]
    sentences = (*draft.sentences, *fresh) or NOTHING_FOUND.sentences
    return draft.model_copy(update={"sentences": sentences, "reserve": tuple(sentence_of.values())})


def as_candidates(sentences: Sequence[DraftSentence], evidence: EvidenceSet) -> list[Candidate]:
    """Return sentences as `compose` weighs them, from the host they cite first."""
    hosts = {item.segment.segment_id: item.segment.host for item in evidence.items}
    return [
        Candidate(
            text=sentence.text,
            covers=sentence.covers,
            host=hosts.get(sentence.segment_ids[0], "") if sentence.segment_ids else "",
            segment_ids=sentence.segment_ids,
        )
        for sentence in sentences
    ]
