"""DCG, NDCG and average grade of a run's questions, by the grade of each and its rank.

DCG@n = sum over p = 1..n of g(p) / log2(p + 1);  NDCG@n = DCG@n / IDCG@n;
Average@n = (sum over p = 1..n of g(p)) / n.

g(p): what the label of the question of rank p earns, by the track's scale: its grade, or 0 where it
is flawed. IDCG@n: the DCG@n of n questions with the best grade, the same for every topic; for
n = 10 and a best grade of 4 it is 18.1742.

Source: TREC 2024 Lateral Reading track overview, section 3.1. Its text says of DCG alone that a
flawed question counts as 0; its table counts it so in the average, too. Edge cases: a rank without
a question or without a label earns nothing. Higher is better.
"""

from __future__ import annotations

from math import fsum, log2
from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.metrics.base import checked_depth
from sidelight.schemas.grading.judgment import Measure, Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.grading.judgment import LabelScale, Scales

    Grades = Mapping[int, str | Unjudged]

_SCALE_NAME = "question_quality"


class _ToDepth:
    """What looks at the first questions of a run.

    Args:
        depth: How many; see `checked_depth`.
    """

    def __init__(self, depth: int = 10) -> None:
        self._ranks = range(1, checked_depth(depth) + 1)

    def _gains(self, grades: Grades, scale: LabelScale) -> list[float]:
        return [_gain(grades.get(rank), scale) for rank in self._ranks]

    def _discounted(self, gains: list[float]) -> float:
        return fsum(gain / log2(rank + 1) for rank, gain in zip(self._ranks, gains, strict=True))


class QuestionDcg(_ToDepth):
    """Discounted cumulative gain."""

    measure: ClassVar[Measure] = Measure(
        title="grades of the first questions, discounted by rank", unit="count", format=".3f"
    )

    def __call__(self, grades: Grades, scales: Scales) -> float:
        """Return the gain of one run on one topic."""
        return self._discounted(self._gains(grades, scales[_SCALE_NAME]))


class QuestionNdcg(_ToDepth):
    """The gain as a share of that of a list with nothing but the best grade."""

    measure: ClassVar[Measure] = Measure(
        title="grades of the first questions, discounted by rank, as a share of the best possible",
        format=".3f",
    )

    def __call__(self, grades: Grades, scales: Scales) -> float:
        """Return the share of one run on one topic, in [0, 1]."""
        scale = scales[_SCALE_NAME]
        best = max(label.credit for label in scale.labels)
        ideal = self._discounted([best] * len(self._ranks))
        return self._discounted(self._gains(grades, scale)) / ideal


class QuestionAverage(_ToDepth):
    """The mean grade."""

    measure: ClassVar[Measure] = Measure(
        title="mean grade of the first questions; a flawed one counts as 0",
        unit="count",
        format=".3f",
    )

    def __call__(self, grades: Grades, scales: Scales) -> float:
        """Return the mean of one run on one topic."""
        return fsum(self._gains(grades, scales[_SCALE_NAME])) / len(self._ranks)


class RedundantQuestions(_ToDepth):
    """The share of questions that an earlier question of the list answers.

    The track left it out of its evaluation: some assessors marked repetitions across runs.
    """

    measure: ClassVar[Measure] = Measure(
        title="share of the first questions that an earlier one answers",
        direction="lower",
        format=".1%",
    )

    def __call__(self, redundant: Mapping[int, bool]) -> float:
        """Return the share of one run on one topic."""
        return sum(redundant.get(rank, False) for rank in self._ranks) / len(self._ranks)


def _gain(label: str | Unjudged | None, scale: LabelScale) -> float:
    return 0.0 if label is None or isinstance(label, Unjudged) else scale.credit(label)
