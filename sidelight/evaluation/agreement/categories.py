"""Counts of two sides' labels by category, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.agreement.coefficients.cohen_kappa import cohen_kappa
from sidelight.evaluation.agreement.coefficients.confusion import confusion_table
from sidelight.evaluation.agreement.coefficients.gwet_ac1 import gwet_ac1
from sidelight.evaluation.agreement.coefficients.raw_agreement import raw_agreement
from sidelight.evaluation.agreement.label_intervals import agreement_intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.agreement.coefficients.confusion import Confusion
    from sidelight.evaluation.scoring.uncertainty import Interval


class Judged(NamedTuple):
    """Both sides' labels of one thing, its topic, and how important it is; "" if nobody asks."""

    first: str
    second: str
    topic_id: str
    importance: str = ""


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """Two sides' labels of the same things, of which there is at least one.

    Attributes:
        categories: All K categories of the scheme, used or not.
        table: `(K, K)` counts, a row for each category of the first side.
        intervals: 95%, of kappa and AC1, by name, as another draw of topics could have them; None
            where too little defines one. Empty where nothing was drawn.
        n_topics: How many topics were drawn from.
    """

    categories: tuple[str, ...]
    table: Confusion
    intervals: dict[str, Interval | None] = field(default_factory=dict)
    n_topics: int = 0

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]], categories: Sequence[str]) -> CategoryAgreement:
        """Count pairs of the first and the second side's label."""
        first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return cls(tuple(categories), confusion_table(first, second, categories))

    @classmethod
    def drawn(
        cls, judged: Sequence[Judged], categories: Sequence[str], samples: int, seed: int
    ) -> CategoryAgreement:
        """Count labels, and draw their topics anew."""
        topics: dict[str, list[Judged]] = {}
        for item in judged:
            topics.setdefault(item.topic_id, []).append(item)
        tables = np.array(
            [
                confusion_table(
                    [item.first for item in items], [item.second for item in items], categories
                )
                for _, items in sorted(topics.items())
            ]
        )
        return cls(
            tuple(categories),
            tables.sum(axis=0),
            agreement_intervals(tables, samples=samples, seed=seed),
            len(tables),
        )

    @property
    def n(self) -> int:
        """Return how many things both sides judged."""
        return int(self.table.sum())

    @property
    def coefficients(self) -> dict[str, float | None]:
        """Return raw agreement, kappa and AC1; None where one is undefined."""
        return {
            "raw": raw_agreement(self.table),
            "kappa": cohen_kappa(self.table),
            "ac1": gwet_ac1(self.table),
        }

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        """Return the share of each category among the first and the second side's labels."""
        rows, columns = self.table.sum(axis=1), self.table.sum(axis=0)
        return {
            category: (int(rows[place]) / self.n, int(columns[place]) / self.n)
            for place, category in enumerate(self.categories)
        }

    @property
    def share_ratios(self) -> dict[str, float | None]:
        """Return how many times as often as the first the second side gives each category.

        None where the first side never does.
        """
        return {
            category: second / first if first else None
            for category, (first, second) in self.shares.items()
        }
