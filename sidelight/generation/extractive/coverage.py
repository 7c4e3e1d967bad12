"""Decide without a model whether another round of searching is worth it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.angle import Coverage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.angle import Angle
    from sidelight.schemas.evidence import EvidenceSet
    from sidelight.schemas.profile import ArticleProfile

_ENOUGH = 0.95


class ExtractiveAssessor:
    """The role `assess_coverage` without a model.

    An angle's coverage is the chance that some evidence speaks to it, `1 - prod(1 - relevance)`;
    the score is the weighted mean over all angles.

    Args:
        max_rounds: Never more rounds than this.
        min_gain: A round after the first that covered less than this share of all weight anew was
            the last. The first is always worth a second, in other words.
    """

    def __init__(self, max_rounds: int, min_gain: float) -> None:
        self._max_rounds = max_rounds
        self._min_gain = min_gain

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        previous: Coverage | None,
        round_number: int,
    ) -> Coverage:
        """Return coverage after a round and whether to go on."""
        by_angle = {angle.angle_id: _chance(angle.angle_id, evidence) for angle in angles}
        total = sum(angle.weight for angle in angles)
        gained = sum(angle.weight * by_angle[angle.angle_id] for angle in angles)
        score = round(gained / total, 4) if total else 0.0
        covered = tuple(sorted(evidence.covers(angle.angle_id for angle in angles)))
        gain = (gained - previous.weight) / total if previous and total else 1.0
        go_on, reason = self._decide(score, gain, round_number)
        return Coverage(
            covered=covered,
            weight=round(gained, 4),
            by_angle={angle_id: round(chance, 4) for angle_id, chance in by_angle.items()},
            score=score,
            go_on=go_on,
            reason=reason,
        )

    def _decide(self, score: float, gain: float, round_number: int) -> tuple[bool, str]:
        if round_number >= self._max_rounds:
            return False, f"round {round_number} is the last allowed"
        if score >= _ENOUGH:
            return False, f"coverage {score:.2f} is enough"
        if gain < self._min_gain:
            return False, f"the round added {gain:.3f} of all weight, under {self._min_gain}"
        return True, f"coverage {score:.2f} may still rise"


def _chance(angle_id: str, evidence: EvidenceSet) -> float:
    missed = 1.0
    for item in evidence.items:
        missed *= 1.0 - item.relevance.get(angle_id, 0.0)
    return 1.0 - missed
