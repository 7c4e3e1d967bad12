"""The mean over rubric questions that every metric on a rubric is a case of.

S = (1 / W) * sum over q of w_q * v(q), with W = sum over q of w_q.

w_q is the weight of rubric question q and v(q) in [0, 1] what was achieved on it.
The sums run over all questions of the rubric, judged or not, so that leaving something out can
never make a denominator smaller (DRAGUN resources paper, sections 3.2 and 3.3).
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.schemas.grading.rubric import Rubric, RubricQuestion


def weighted_question_mean(rubric: Rubric, value: Callable[[RubricQuestion], float]) -> float:
    """Return the importance-weighted mean of `value` over the questions of a rubric.

    A rubric has at least one question of positive weight, so the denominator is never 0. `fsum`
    is exact before rounding, so the order of the questions cannot change the result.
    """
    weighted = (question.weight * value(question) for question in rubric.questions)
    return fsum(weighted) / rubric.total_weight
