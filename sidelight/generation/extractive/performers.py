"""Small performers without a model: coverage, support check, usefulness ratings, report revision.

The support check uses the model learned from people's labels. The revision fills the room that
removed sentences left with reserve sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.usefulness import DocumentRater, NearestSentence
from sidelight.generation.compose import chances_missed, refill
from sidelight.generation.stopping import StoppingRule
from sidelight.generation.support_checker import SupportChecker
from sidelight.schemas.investigation.report import Revision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Coverage
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.report import CheckedReport
    from sidelight.schemas.segment import Segment
    from sidelight.text_vectors import Encode, TextVectors


class ExtractiveChecker(SupportChecker):
    """The role `check_report` without a model.

    Args:
        sentences: Encodes sentences; those of the sources are mostly known to it already.
    """

    def __init__(self, sentences: TextVectors) -> None:
        super().__init__(sentences)


class ExtractiveAssessor:
    """The role `assess_coverage` without a model.

    An angle's coverage is the chance that some evidence speaks to it, `1 - prod(1 - relevance)`.

    Args:
        max_rounds: See `StoppingRule`.
        min_gain: See `StoppingRule`.
    """

    def __init__(self, max_rounds: int, min_gain: float) -> None:
        self._rule = StoppingRule(max_rounds, min_gain)

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        previous: Coverage | None,
        round_number: int,
    ) -> Coverage:
        """Return coverage after a round and whether to go on."""
        missed = chances_missed(
            (angle.angle_id for angle in angles), (item.relevance for item in evidence.items)
        )
        by_angle = {angle_id: 1.0 - chance for angle_id, chance in missed.items()}
        return self._rule.coverage(angles, by_angle, previous, round_number)


class ExtractiveRater(DocumentRater):
    """By the sentence of each document that comes nearest to the question.

    Args:
        encode: Texts to vectors.
    """

    def __init__(self, encode: Encode) -> None:
        super().__init__(NearestSentence(encode))


class ExtractiveReviser:
    """The role `revise_report` without a model.

    Args:
        max_report_words: The track's limit.
    """

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
        """Return the draft that stood, filled up from its reserve, in order."""
        # What says the same as something chosen never gets into a reserve.
        draft = refill(checked.draft, angles, evidence, self._max_words, lambda *_: False)
        return Revision(draft=draft)
