"""Select evidence without a model: the segments whose sentences speak to an angle best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.extractive.relevance import relevance
from sidelight.generation.extractive.sentence_index import SentenceIndex, quotable_sentences
from sidelight.schemas.evidence import Evidence, EvidenceSet, Selection
from sidelight.schemas.segment import are_adjacent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.angle import Angle
    from sidelight.schemas.profile import ArticleProfile
    from sidelight.schemas.segment import Segment

_READ_PER_ANGLE = 10
_KEPT_PER_ANGLE = 4
_KEPT_PER_HOST = 2


class ExtractiveSelector:
    """The role `select_evidence` without a model.

    Args:
        index: Encodes sentences.
    """

    def __init__(self, index: SentenceIndex) -> None:
        self._index = index

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        candidates: Mapping[str, Sequence[Segment]],
    ) -> Selection:
        """Return at most four segments per angle, two per host, scored by their best sentence."""
        quotes = {angle_id: _quotes(segments) for angle_id, segments in candidates.items()}
        # All at once, because an encoder is quickest with full batches.
        self._index.remember(
            [text for read in quotes.values() for _, sentences in read for text in sentences]
        )
        evidence = EvidenceSet.merge(
            *(self._for_angle(profile, angle, quotes.get(angle.angle_id, ())) for angle in angles)
        )
        taken = {item.segment.segment_id for item in evidence.items}
        seen = {segment.segment_id for segments in candidates.values() for segment in segments}
        return Selection(
            evidence=evidence, dropped=dict.fromkeys(sorted(seen - taken), "others say more")
        )

    def _for_angle(
        self, profile: ArticleProfile, angle: Angle, read: Sequence[tuple[Segment, list[str]]]
    ) -> EvidenceSet:
        flat = [sentence for _, sentences in read for sentence in sentences]
        if not flat:
            return EvidenceSet()
        scores = dict(zip(flat, relevance(flat, [angle], profile, self._index)[:, 0], strict=True))
        ordered = sorted(
            (
                (
                    -max(float(scores[sentence]) for sentence in sentences),
                    segment.segment_id,
                    segment,
                )
                for segment, sentences in read
            ),
            key=lambda entry: entry[:2],
        )
        kept: list[Evidence] = []
        for negative, segment_id, segment in ordered:
            known = [item.segment for item in kept]
            if negative == 0.0 or len(kept) == _KEPT_PER_ANGLE:
                break
            crowded = sum(other.host == segment.host for other in known) == _KEPT_PER_HOST
            if crowded or any(are_adjacent(segment_id, other.segment_id) for other in known):
                continue
            kept.append(Evidence(segment=segment, relevance={angle.angle_id: -negative}))
        return EvidenceSet.merge(EvidenceSet(items=tuple(kept)))


def _quotes(segments: Sequence[Segment]) -> list[tuple[Segment, list[str]]]:
    """Return the first segments that are read, each with its quotable sentences if it has any."""
    read = [(segment, quotable_sentences(segment.text)) for segment in segments[:_READ_PER_ANGLE]]
    return [(segment, sentences) for segment, sentences in read if sentences]
