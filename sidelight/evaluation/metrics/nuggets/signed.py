"""How much of what an answer should tell it tells, less what it should not.

S = (1 / W) * sum over n of w_n * v(l(n)), with W = sum over n of max(w_n, 0).

w_n: the weight of nugget n, below 0 for a fault that an answer should be free of; v: the credit of
a label by the track's scale. An answer that commits faults alone is below 0; at most it has 1.

Source: Sharma et al., ResearchRubrics (2025), whose criteria weigh from -5 to 5. Edge cases:
without a nugget of positive weight nothing can be earned, and S is the sum itself; a label that
could not be had earns and costs nothing, and the caller counts it. Higher is better.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.metrics.nuggets.recall import label_value
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.grading.bank import NuggetBank
    from sidelight.schemas.grading.judgment import Unjudged
    from sidelight.schemas.grading.label_scale import Scales


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
        return earned / (fsum(max(nugget.weight, 0.0) for nugget in bank.nuggets) or 1.0)
