"""How many of the nuggets of a topic an answer tells.

S = (1 / |N|) * sum over n in N of v(l(n)).

N: the nuggets that count, either those of the highest importance ("vital") or all; l(n): the label
of the answer for nugget n; v: the credit of a label by the track's scale, or, where it is strict,
1 for the highest label and 0 for every other. Importance decides which nuggets count, never how
much: strict vital, vital, strict all and all are its four cases.

Source: TREC 2025 RAG track overview, section 3.2; Pradeep et al., The Great Nugget Recall (SIGIR
2025), section 3. Edge cases: on a topic without a vital nugget vital recall is undefined; a label
that could not be had earns nothing, and the caller counts it. |N| is taken from the bank, never
from the labels. Higher is better.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, ClassVar, Literal

from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.schemas.grading.bank import NuggetBank
    from sidelight.schemas.grading.label_scale import LabelScale, Scales


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
