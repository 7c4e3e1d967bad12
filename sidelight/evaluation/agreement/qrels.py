"""Agreement of two sides on the relevance of documents, including on the order of document pairs.

concordant = C / P, tied = T / P, reversed = D / P, with P = C + T + D.

C: pairs that both sides order alike; D: pairs they order in opposite ways; T: pairs that at least
one side grades the same. It needs no common scale, as kappa does. Source: TREC 2025 RAG overview,
section 3.4. Edge case: a side that gave each query a single grade ordered nothing; the shares are
then undefined (None), not 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.errors import InputError
from sidelight.evaluation.agreement.labels import CategoryAgreement


@dataclass(frozen=True, slots=True)
class PairOrder:
    """Numbers of pairs; those of several queries may be added."""

    concordant: int = 0
    tied: int = 0
    reversed: int = 0

    def __add__(self, other: PairOrder) -> PairOrder:
        return PairOrder(
            self.concordant + other.concordant,
            self.tied + other.tied,
            self.reversed + other.reversed,
        )

    @property
    def shares(self) -> dict[str, float] | None:
        """Return each number as a share of all pairs; None when no pair is ordered by both."""
        if self.concordant + self.reversed == 0:
            return None
        pairs = self.concordant + self.tied + self.reversed
        return {
            "concordant": self.concordant / pairs,
            "tied": self.tied / pairs,
            "reversed": self.reversed / pairs,
        }


def pair_order(first: Sequence[int], second: Sequence[int]) -> PairOrder:
    """Compare all pairs of n documents of one query.

    `first` and `second` are `(n,)` grades in the same order.
    """
    # Grades are few and documents many: count the cells of the grade table, not the pairs.
    rows, row = np.unique(np.array(first), return_inverse=True)
    columns, column = np.unique(np.array(second), return_inverse=True)
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(table, (row, column), 1)
    concordant, discordant = _ordered(table), _ordered(table[:, ::-1])
    pairs = len(first) * (len(first) - 1) // 2
    return PairOrder(concordant, pairs - concordant - discordant, discordant)


def _ordered(table: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> int:
    """Count pairs of which one lies below and to the right of the other."""
    lower_right = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    return int(np.sum(table[:-1, :-1] * lower_right[1:, 1:]))


# A table of all pairs of grades is made.
_MAX_SCALE_GRADES = 1000
RELEVANCE = ("relevant", "not-relevant")


@dataclass(frozen=True, slots=True)
class QrelsComparison:
    """Two sets of relevance labels.

    Attributes:
        grades: Over every whole grade from the lowest to the highest that occurs on either side:
            the files do not say which scale they use.
        used: The grades that occur among the first and among the second side's labels.
        relevance: Over `RELEVANCE`, where thresholds were given.
        order: Pairs of documents of one query, over all queries.
        only: How many labels only the first and only the second side has.
    """

    grades: CategoryAgreement
    used: tuple[list[int], list[int]]
    relevance: CategoryAgreement | None
    order: PairOrder
    only: tuple[int, int]


def compare_qrels(
    first: Mapping[str, Mapping[str, int]],
    second: Mapping[str, Mapping[str, int]],
    thresholds: tuple[int, int] | None = None,
) -> QrelsComparison:
    """Compare two sides' grades, document by document.

    Grades are by query id, then document id. `thresholds` are the lowest grades that count as
    relevant on the first and the second side.
    """
    by_query = _labelled_by_both(first, second)
    pairs = [pair for query in by_query for pair in query]
    if not pairs:
        raise InputError(
            "there is no document that both files label for the same query",
            remedy="Compare labels of the same queries and documents.",
        )
    used = sorted({pair[0] for pair in pairs}), sorted({pair[1] for pair in pairs})
    lowest, highest = min(used[0][0], used[1][0]), max(used[0][-1], used[1][-1])
    if highest - lowest >= _MAX_SCALE_GRADES:
        raise InputError(
            f"expected at most {_MAX_SCALE_GRADES} grades; found labels from {lowest} to {highest}",
            remedy="Compare relevance labels; scores are compared with `sidelight agree scores`.",
        )
    relevance = None
    if thresholds is not None:
        relevance = CategoryAgreement.of(
            [
                (_relevance(one, thresholds[0]), _relevance(other, thresholds[1]))
                for one, other in pairs
            ],
            RELEVANCE,
        )
    return QrelsComparison(
        grades=CategoryAgreement.of(
            [(str(one), str(other)) for one, other in pairs],
            [str(grade) for grade in range(lowest, highest + 1)],
        ),
        used=used,
        relevance=relevance,
        order=sum(
            (
                pair_order([pair[0] for pair in query], [pair[1] for pair in query])
                for query in by_query
            ),
            start=PairOrder(),
        ),
        only=(
            sum(map(len, first.values())) - len(pairs),
            sum(map(len, second.values())) - len(pairs),
        ),
    )


def _labelled_by_both(
    first: Mapping[str, Mapping[str, int]], second: Mapping[str, Mapping[str, int]]
) -> list[list[tuple[int, int]]]:
    """Return the two grades of each document that both sides label, query by query."""
    return [
        [
            (grade, second[query_id][name])
            for name, grade in grades.items()
            if name in second[query_id]
        ]
        for query_id, grades in first.items()
        if query_id in second
    ]


def _relevance(grade: int, lowest_relevant: int) -> str:
    return RELEVANCE[0] if grade >= lowest_relevant else RELEVANCE[1]
