"""Several judges' relevance grades made one: the majority, and the median where there is none.

The grade is the one that most judges gave, if more gave it than any other; of equally frequent ones
it is the median of all grades given, the lower of two middle ones. A pair that not most judges
graded has no grade. Who said what is recorded beside it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Grades = Mapping[str, Mapping[str, int]]


class Vote(NamedTuple):
    """What several judges make of one passage.

    Attributes:
        grade: Theirs together; None where too few gave one.
        given: Each judge's own, in the order of the judges; None where one gave none.
    """

    grade: int | None
    given: tuple[int | None, ...]

    @property
    def agreeing(self) -> int:
        """Return how many judges gave the most frequent grade."""
        told = [grade for grade in self.given if grade is not None]
        return max(Counter(told).values(), default=0)


def majority(given: Sequence[int | None]) -> int | None:
    """Return the grade that judges give together; the module says by which rule."""
    told = sorted(grade for grade in given if grade is not None)
    if 2 * len(told) <= len(given):
        return None
    (grade, most), *others = Counter(told).most_common(2)
    tied = bool(others) and others[0][1] == most
    return told[(len(told) - 1) // 2] if tied else grade


def vote(judges: Mapping[str, Grades]) -> dict[str, dict[str, Vote]]:
    """Return what several judges make of every passage that any of them graded.

    Args:
        judges: By name, grades by query and passage; at least one.

    Returns:
        By query and passage, in the order in which they first occur.
    """
    found: dict[str, dict[str, Vote]] = {}
    for grades in judges.values():
        for query_id, passages in grades.items():
            known = found.setdefault(query_id, {})
            for name in passages:
                if name not in known:
                    given = tuple(one.get(query_id, {}).get(name) for one in judges.values())
                    known[name] = Vote(majority(given), given)
    return found


def decided(votes: Mapping[str, Mapping[str, Vote]]) -> dict[str, dict[str, int]]:
    """Return the grades of the passages that enough judges graded."""
    return {
        query_id: {name: one.grade for name, one in passages.items() if one.grade is not None}
        for query_id, passages in votes.items()
    }


def vote_rows(votes: Mapping[str, Mapping[str, Vote]]) -> Iterator[tuple[str | int | None, ...]]:
    """Yield query, passage, grade, and each judge's own: rows of a table of votes."""
    for query_id, passages in votes.items():
        for name, one in passages.items():
            yield query_id, name, one.grade, *one.given
