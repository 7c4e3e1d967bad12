"""Small performers without a model: coverage, usefulness ratings, report revision.

The revision fills the room that removed sentences left with reserve sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sidelight.checks.usefulness import DocumentRater, NearestSentence
from sidelight.generation.compose import chances_missed, refill
from sidelight.generation.extractive.write_report import with_sources
from sidelight.generation.pages import without_source
from sidelight.generation.stopping import CoverageAssessor
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import CheckedReport, DraftSentence, Revision
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.text_vectors import Encode


class ExtractiveAssessor(CoverageAssessor):
    """`assess_coverage` without a model: an angle's coverage is `1 - prod(1 - relevance)`."""

    def chances(self, angles: Sequence[Angle], evidence: EvidenceSet) -> dict[str, float]:
        """Return for each angle the chance that some evidence speaks to it."""
        missed = chances_missed(
            (angle.angle_id for angle in angles), (item.relevance for item in evidence.items)
        )
        return {angle_id: 1.0 - chance for angle_id, chance in missed.items()}


class ExtractiveRater(DocumentRater):
    """By the sentence of each document that comes nearest to the question."""

    def __init__(self, encode: Encode) -> None:
        super().__init__(NearestSentence(encode))


class ExtractiveReviser:
    """The role `revise_report` without a model."""

    def __init__(self, max_report_words: int) -> None:
        self._max_words = max_report_words

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return the draft that stood, filled up from its reserve.

        What lost the sentence that its source stood before gets the source. A sentence of the
        reserve goes behind those of its page.
        """
        draft = checked.draft
        if any(one.sentence.text != without_source(one.sentence.text) for one in checked.removed):
            draft = with_sources(draft, evidence, profile)
        filled = refill(draft, angles, evidence, self._max_words)
        if profile.body:
            filled = filled.model_copy(update={"sentences": _by_page(filled.sentences)})
        return Revision(draft=filled)


def _by_page(sentences: Sequence[DraftSentence]) -> tuple[DraftSentence, ...]:
    """Return sentences with those of a page together, behind one source."""
    pages = [document_id_of(next(iter(one.segment_ids), "")) for one in sentences]
    order = sorted(range(len(pages)), key=lambda place: pages.index(pages[place]))
    told: list[DraftSentence] = []
    for before, place in zip([None, *order], order, strict=False):
        one = sentences[place]
        if before is not None and pages[before] == pages[place]:
            one = one.model_copy(update={"text": without_source(one.text)})
        told.append(one)
    return tuple(told)
