"""Nugget measures of an answer: nugget recall, weighted nugget score, and sub-narrative coverage.

Nugget recall, S = (1 / |N|) * sum over n in N of v(l(n)).

N: the nuggets that count, either those of the highest importance ("vital") or all; l(n): the label
of the answer for nugget n; v: the credit of a label by the track's scale, or, where it is strict,
1 for the highest label and 0 for every other. Importance decides which nuggets count, never how
much: strict vital, vital, strict all and all are its four cases. Source: TREC 2025 RAG track
overview, section 3.2; Pradeep et al., The Great Nugget Recall (SIGIR 2025), section 3. Edge cases:
on a topic without a vital nugget vital recall is undefined. |N| is taken from the bank, never from
the labels.

Weighted score, S = max(-1, (1 / W) * sum over n of w_n * v(l(n))), with W = sum over n of
max(w_n, 0).

w_n: the weight of nugget n, below 0 for a fault that an answer should be free of. An answer that
commits faults alone is below 0; at most it has 1. Source: Sharma et al., ResearchRubrics (2025),
whose criteria weigh from -5 to 5; the bound at -1 is ours, so that faults on one topic never cost
more than all that a topic can earn. Edge case: without a nugget of positive weight nothing can be
earned, and the sum itself stands in the place of its share.

Coverage, S = |{p in P : some n in N_p has the highest label}| / |P|.

P: the sub-narratives that nuggets of the topic belong to; N_p: the nuggets of sub-narrative p. One
nugget told in full covers a sub-narrative, whatever its importance; one told in part does not.
Source: TREC 2025 RAG track overview, section 3.2. Edge case: where no nugget is mapped to a
sub-narrative there is nothing to cover, and S is undefined.

In all three a label that could not be had earns, costs and covers nothing, and the caller counts
it. Higher is better.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, ClassVar, Literal

from sidelight.schemas.grading.judgment import Measure, Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.schemas.grading.judgment import LabelScale, Scales
    from sidelight.schemas.grading.rubric import NuggetBank


def label_value(scale: LabelScale, *, strict: bool) -> Callable[[str | Unjudged], float]:
    """Return what a label earns: its credit, or 1 for the highest alone.

    Args:
        scale: The labels there are.
        strict: Whether the highest alone counts.
    """

    def value(label: str | Unjudged) -> float:
        if isinstance(label, Unjudged):
            return 0.0
        return float(label == scale.highest) if strict else scale.credit(label)

    return value


class NuggetRecall:
    """The share of nuggets that an answer tells.

    Args:
        among: Whether the nuggets of the highest importance count, or all.
        strict: Whether only a nugget that is told in full earns anything.
    """

    measure: ClassVar[Measure] = Measure(title="vital nuggets told in full, over vital nuggets")

    def __init__(self, among: Literal["vital", "all"] = "vital", *, strict: bool = True) -> None:
        self._among = among
        self._strict = strict

    def __call__(
        self, bank: NuggetBank, nuggets: Sequence[str | Unjudged], scales: Scales
    ) -> float | None:
        """Return the recall of one answer; None where no nugget counts."""
        value = label_value(scales["nuggets"], strict=self._strict)
        vital = scales["nugget_importance"].highest
        counted = [
            value(label)
            for nugget, label in zip(bank.nuggets, nuggets, strict=True)
            if self._among == "all" or nugget.importance.name == vital
        ]
        return fsum(counted) / len(counted) if counted else None


class SignedNuggetScore:
    """Nuggets told, by weight, over the positive weight there is."""

    measure: ClassVar[Measure] = Measure(
        title="nuggets told, by weight, less those that should not be"
    )

    def __call__(
        self, bank: NuggetBank, nuggets: Sequence[str | Unjudged], scales: Scales
    ) -> float:
        """Return the score of one answer."""
        value = label_value(scales["nuggets"], strict=False)
        earned = fsum(
            nugget.weight * value(label)
            for nugget, label in zip(bank.nuggets, nuggets, strict=True)
        )
        share = earned / (fsum(max(nugget.weight, 0.0) for nugget in bank.nuggets) or 1.0)
        return max(-1.0, share)


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
