"""A judge's grades put on the scale of a reference judge, in their order.

What a judge calls 3 another may call 2. Of all rising maps from the judge's grades to the
reference's, the one is taken with which both agree best beyond chance (Cohen's kappa) on passages
that both graded; of equals the one that changes least. A mean or median in place of kappa would
pull every grade to the commonest. A grade that the judge never gave among those passages goes with
the nearest one it gave, of two the lower.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import InputError
from sidelight.evaluation.agreement.coefficients.cohen_kappa import cohen_kappa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    Grades = Mapping[str, Mapping[str, int]]

# Every rising map is tried: of seven grades there are 1,716.
_MOST_GRADES = 7


class Calibration:
    """A rising map of grades.

    Args:
        pairs: A judge's grade and the reference's, of passages that both graded.

    Raises:
        InputError: There is no such passage, or there are more grades than a scale has.
    """

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        if not pairs:
            raise InputError(
                "there is no passage that both the judge and the reference graded",
                remedy="Have the judge grade passages that the reference judge graded.",
            )
        given, wanted = (np.array(side) for side in zip(*pairs, strict=True))
        known, row = np.unique(given, return_inverse=True)
        scale, column = np.unique(wanted, return_inverse=True)
        if max(len(known), len(scale)) > _MOST_GRADES:
            raise InputError(f"expected at most {_MOST_GRADES} grades; found {len(known)}")
        table = np.zeros((len(known), len(scale)), dtype=np.int64)
        np.add.at(table, (row, column), 1)
        maps = combinations_with_replacement(range(len(scale)), len(known))
        best = max(
            maps, key=lambda map_: (_kappa(table, map_), -np.abs(scale[[*map_]] - known).sum())
        )
        self._map: dict[int, int] = dict(zip(known.tolist(), scale[[*best]].tolist(), strict=True))

    def __call__(self, grade: int) -> int:
        """Return what the reference judge would say where this one says `grade`."""
        nearest = min(self._map, key=lambda known: (abs(known - grade), known))
        return self._map[nearest]

    def all(self, grades: Grades) -> dict[str, dict[str, int]]:
        """Return grades by query and passage, calibrated."""
        return {
            query_id: {name: self(grade) for name, grade in passages.items()}
            for query_id, passages in grades.items()
        }


def held_out(judge: Grades, reference: Grades) -> dict[str, dict[str, int]]:
    """Return a judge's grades, those of each query calibrated on the other queries alone.

    Raises:
        InputError: Nothing is left to learn from for some query.
    """
    found: dict[str, dict[str, int]] = {}
    for query_id in judge:
        others = [
            (grade, reference[other][name])
            for other, passages in judge.items()
            if other != query_id and other in reference
            for name, grade in passages.items()
            if name in reference[other]
        ]
        found |= Calibration(others).all({query_id: judge[query_id]})
    return found


def _kappa(table: npt.NDArray[np.int64], map_: Sequence[int]) -> float:
    """Return the agreement of mapped grades; 0 where both sides use one grade throughout."""
    mapped = np.zeros((table.shape[1], table.shape[1]), dtype=np.int64)
    np.add.at(mapped, [*map_], table)
    found = cohen_kappa(mapped)
    return 0.0 if found is None else round(found, 12)
