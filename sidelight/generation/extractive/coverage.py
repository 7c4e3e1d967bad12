"""Tell without a model what the evidence covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.compose import chances_missed
from sidelight.generation.stopping import StoppingRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.investigation.angle import Angle, Coverage
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile


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
