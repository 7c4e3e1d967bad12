"""How relevant passages are, from what all that were returned for a query have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.learned.grade_model import load_grade_model
from sidelight.learned.ordinal_model import weights_hash
from sidelight.learned.pool import RELEVANCE, pool_features, trusted
from sidelight.schemas.grading.graded_passage import Grader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.text_vectors import Encode

POOL_RELEVANT = 2
"""The grade from which a passage counts as relevant."""


class PoolGrades:
    """Grades from 0 to 3 by a model that learned from people's; a query's text does not count.

    A grade hangs on the other passages of the query, so all of them are graded at once.

    Args:
        encode: Texts to vectors by the default encoder.
    """

    def __init__(self, encode: Encode) -> None:
        self._model = load_grade_model(RELEVANCE)
        self._encode = encode
        self.grader = Grader(f"pool-1-{weights_hash(RELEVANCE)}", "calibrated-on-TREC-DL-2023")

    def grade(self, passages: Sequence[str]) -> list[int]:
        """Return a grade for each passage of one query."""
        if not passages:
            return []
        features = trusted(pool_features(passages, self._encode), self._model.means)
        grades: list[int] = self._model.grades(self._model.scores(features)).tolist()
        return grades
