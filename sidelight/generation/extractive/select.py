"""Select evidence without a model: the segments whose sentences speak to an angle best."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sidelight.generation.extractive.relevance import relevance
from sidelight.generation.spread import spread
from sidelight.generation.statements.statements import statements
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.segment import Segment
    from sidelight.text_vectors import TextVectors

_READ_PER_ANGLE = 12
_MANY_SEARCHES = 4


class ExtractiveSelector:
    """The role `select_evidence` without a model.

    Args:
        sentences: Encodes sentences.
        segments_per_angle: Segments taken for one angle at most.
    """

    def __init__(self, sentences: TextVectors, segments_per_angle: int) -> None:
        self._sentences = sentences
        self._keep = segments_per_angle

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        candidates: Mapping[str, Sequence[Segment]],
    ) -> Selection:
        """Return each angle's best segments, two per host, and those that many searches brought.

        They are scored by their best sentence. What many searches bring is about the article, even
        where other segments speak to each single angle better.
        """
        brought = Counter(
            segment.segment_id for segments in candidates.values() for segment in segments
        )
        n_read = max(_READ_PER_ANGLE, self._keep)
        quotes = {angle_id: _quotes(segments[:n_read]) for angle_id, segments in candidates.items()}
        # All at once, because an encoder is quickest with full batches.
        self._sentences.remember(
            [
                *(text for read in quotes.values() for _, sentences in read for text in sentences),
                *(text for angle in angles for text in (angle.question, angle.query)),
            ]
        )
        evidence = EvidenceSet.merge(
            *(
                self._for_angle(profile, angle, quotes.get(angle.angle_id, ()), brought)
                for angle in angles
            )
        )
        taken = {item.segment.segment_id for item in evidence.items}
        seen = {segment.segment_id for segments in candidates.values() for segment in segments}
        return Selection(
            evidence=evidence, dropped=dict.fromkeys(sorted(seen - taken), "others say more")
        )

    def _for_angle(
        self,
        profile: ArticleProfile,
        angle: Angle,
        read: Sequence[tuple[Segment, list[str]]],
        brought: Mapping[str, int],
    ) -> EvidenceSet:
        flat = [(sentence, window_of(segment)) for segment, said in read for sentence in said]
        if not flat:
            return EvidenceSet()
        texts, pages = zip(*flat, strict=True)
        scores = iter(relevance(texts, pages, [angle], profile, self._sentences)[:, 0].tolist())
        best = {
            segment.segment_id: max(float(next(scores)) for _ in said) for segment, said in read
        }
        speaking = [segment for segment, _ in read if best[segment.segment_id] > 0]
        speaking.sort(key=lambda segment: (-best[segment.segment_id], segment.segment_id))
        taken, _ = spread(speaking, self._keep)
        taken += [
            segment
            for segment in speaking
            if brought[segment.segment_id] >= _MANY_SEARCHES and segment not in taken
        ]
        return EvidenceSet.merge(
            EvidenceSet(
                items=tuple(
                    Evidence(segment=segment, relevance={angle.angle_id: best[segment.segment_id]})
                    for segment in taken
                )
            )
        )


def window_of(segment: Segment) -> str:
    """Return a window with the title of its page, which may say whom it is about."""
    return f"{segment.title}\n{segment.text}"


def single_sentences(segment: Segment) -> list[str]:
    """Return what a segment says, sentence by sentence: what was joined or attributed is left."""
    said = {
        one.last: one.text
        for one in reversed(statements(segment.text, segment.title))
        if one.first == one.last
    }
    return [said[place] for place in sorted(said)]


def _quotes(segments: Sequence[Segment]) -> list[tuple[Segment, list[str]]]:
    """Return the segments that have quotable sentences, each with these."""
    read = [(segment, single_sentences(segment)) for segment in segments]
    return [(segment, sentences) for segment, sentences in read if sentences]
