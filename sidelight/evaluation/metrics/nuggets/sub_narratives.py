"""How many parts of a narrative an answer covers.

S = |{p in P : some n in N_p has the highest label}| / |P|.

P: the sub-narratives that nuggets of the topic belong to; N_p: the nuggets of sub-narrative p. One
nugget told in full covers a sub-narrative, whatever its importance; one told in part does not.

Source: TREC 2025 RAG track overview, section 3.2. Edge cases: where no nugget is mapped to a
sub-narrative there is nothing to cover, and S is undefined; a label that could not be had covers
nothing.
Higher is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.grading.bank import NuggetBank
    from sidelight.schemas.grading.judgment import Unjudged
    from sidelight.schemas.grading.label_scale import Scales


class SubNarrativeCoverage:
    """The share of sub-narratives of which some nugget is told in full."""

    measure: ClassVar[Measure] = Measure(title="sub-narratives with a nugget told in full")

    def __call__(
        self, bank: NuggetBank, nuggets: Sequence[str | Unjudged], scales: Scales
    ) -> float | None:
        """Return the coverage of one answer; None where there is nothing to cover."""
        full = scales["nuggets"].highest
        covered: dict[str, bool] = {}
        for nugget, label in zip(bank.nuggets, nuggets, strict=True):
            if part := nugget.sub_narrative:
                covered[part] = covered.get(part, False) or label == full
        return sum(covered.values()) / len(covered) if covered else None
