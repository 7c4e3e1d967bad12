"""Stopping rule of an investigation: one rule on coverage, whoever assesses it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Coverage
from sidelight.schemas.investigation.evidence import EvidenceSet

_ENOUGH = 0.95


@dataclass(frozen=True)
class CoverageAssessor(ABC):
    """The role `assess_coverage`: go on while another round is expected to raise coverage.

    Attributes:
        max_rounds: Never more rounds than this.
        min_gain: A round after the first that covered less than this share of all weight anew was
            the last. The first is always worth a second, in other words.
    """

    max_rounds: int
    min_gain: float

    @abstractmethod
    def chances(self, angles: Sequence[Angle], evidence: EvidenceSet) -> Mapping[str, float]:
        """Return for each angle, by id, the chance that evidence speaks to it, in [0, 1]."""

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        previous: Coverage | None,
        round_number: int,
    ) -> Coverage:
        """Return coverage after a round (1-based), and whether to go on.

        `previous` is that after the round before, None after the first.
        """
        by_angle = self.chances(angles, evidence)
        total = sum(angle.weight for angle in angles)
        weight = sum(angle.weight * by_angle[angle.angle_id] for angle in angles)
        score = round(weight / total, 4) if total else 0.0
        gain = (weight - previous.weight) / total if previous and total else 1.0
        go_on, reason = self._decide(score, gain, round_number)
        return Coverage(
            covered=tuple(sorted(angle_id for angle_id, chance in by_angle.items() if chance)),
            weight=round(weight, 4),
            by_angle={angle_id: round(chance, 4) for angle_id, chance in by_angle.items()},
            score=score,
            go_on=go_on,
            reason=reason,
        )

    def _decide(self, score: float, gain: float, round_number: int) -> tuple[bool, str]:
        if round_number >= self.max_rounds:
            return False, f"round {round_number} is the last allowed"
        if score >= _ENOUGH:
            return False, f"coverage {score:.2f} is enough"
        if gain < self.min_gain:
            return False, f"the round added {gain:.3f} of all weight, under {self.min_gain}"
        return True, f"coverage {score:.2f} may still rise"
