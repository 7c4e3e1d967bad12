"""Questions beside others: earlier ones of the same list, and ones that people graded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.learned.questions.model import Outlook
from sidelight.learned.questions.words import runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Cosines = npt.NDArray[np.floating]

_ALIKE = 0.5  # share of runs of masked words that questions of one pattern have in common
_OF_ONE_PATTERN = 2  # questions that may earn something; people's favourites come in threes at most
_REACH = 0.1  # of a grade, in cosines: at a distance of that a neighbour counts a third
_DOUBT = 0.3  # what the model's own word weighs, against 1 for an equal question's grade


def repeated_patterns(questions: Sequence[str]) -> list[bool]:
    """Tell for each question of a list whether earlier ones have used up its pattern.

    Names are masked, so the same question about ten names is one pattern.
    """
    seen = [runs(question) for question in questions]
    return [
        sum(_share(one, earlier) >= _ALIKE for earlier in seen[:place]) >= _OF_ONE_PATTERN
        for place, one in enumerate(seen)
    ]


def closest_earlier(cosines: Cosines) -> list[float]:
    """Return for each question of a list its cosine with the earlier one nearest to it.

    Args:
        cosines: Of the questions with each other, `(n, n)`, in the order of the list.
    """
    return [float(max(row[:place], default=0.0)) for place, row in enumerate(cosines.tolist())]


def corrected(
    outlooks: Sequence[Outlook],
    cosines: Cosines,
    known: Sequence[Outlook],
    graded: Sequence[int],
) -> list[Outlook]:
    """Return outlooks moved by how far the model was off for similar questions on the article.

    Args:
        outlooks: Of the questions, `(n,)`.
        cosines: Of the questions with graded ones on the same article, `(n, n_known)`.
        known: Outlooks of the graded ones.
        graded: What people gave them, -1 to 4.
    """
    if not graded:
        return list(outlooks)
    off = np.array([(max(0, grade), grade < 0) for grade in graded], dtype=np.float64) - np.array(
        known
    )
    near = np.exp((np.asarray(cosines, dtype=np.float64) - 1) / _REACH)
    moved = np.array(outlooks) + near @ off / (near.sum(axis=1, keepdims=True) + _DOUBT)
    return [Outlook(float(worth), float(flawed)) for worth, flawed in moved]


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)
