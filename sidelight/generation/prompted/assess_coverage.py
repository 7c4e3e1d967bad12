"""Coverage assessment from what a model has read already; no further call is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.stopping import StoppingRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Coverage
    from sidelight.schemas.investigation.evidence import EvidenceSet


class ReadAssessor:
    """The role `assess_coverage` where evidence was read and labelled.

    An angle is covered as far as the best of its evidence answers it: ten pages that each help to
    judge an answer are no answer. So coverage is never complete, and whether a lead is left to
    follow is for the planner to say.

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
        by_angle = {
            angle.angle_id: max(
                (item.relevance.get(angle.angle_id, 0.0) for item in evidence.items), default=0.0
            )
            for angle in angles
        }
        return self._rule.coverage(angles, by_angle, previous, round_number)
