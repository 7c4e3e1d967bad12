"""Rubric measures: question coverage, report support and contradiction, and credit held by stages.

All are a weighted mean over the questions of a rubric:

S = (1 / W) * sum over q of w_q * v(q), with W = sum over q of w_q.

w_q is the weight of rubric question q and v(q) in [0, 1] what was achieved on it. The sums run over
all questions of the rubric, judged or not, so that leaving something out can never make a
denominator smaller (DRAGUN resources paper, arXiv 2602.24277, sections 3.2 and 3.3).

- Question coverage, v(q) = max over p of g(l(q, p)): p is a submitted question, l(q, p) the label
  of the pair, g the credit of a label by the track's scale. One submitted question may earn credit
  for several rubric questions, and its rank plays no part (section 3.2). A pair without a label
  earns nothing (the paper's rule), and so does one that is `Unjudged`; the caller counts them.
  Higher is better.
- Report support, v(q) = (1 / |A_q|) * sum over a in A_q of v(l(a)): A_q are the expected answers of
  question q, l(a) is the label of the report for answer a, v(l) the credit of a label by the
  track's scale. The mean over topics ranks the runs (section 3.3). An answer without a label earns
  nothing, and so does one that is `Unjudged`; the caller counts them. |A_q| is taken from the
  rubric, never from the labels. Higher is better.
- Report contradiction, the same with v(l) = 1 for the label that opposes, else 0. Lower is better,
  so unjudged answers flatter a report here: read it beside their share.
- Credit of a stage: the score that a report would get whose labels were those of the stage;
  `scoring.measures` says which stages there are. In [0, 1]; higher is better.

DCG, NDCG and average grade of a run's questions, by the grade of each and its rank.

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

from collections.abc import Callable, Collection, Mapping, Sequence
from math import fsum, log2
from typing import ClassVar

from sidelight.evaluation.metrics.base import checked_depth
from sidelight.schemas.grading.judgment import LabelScale, Measure, Scales, Unjudged
from sidelight.schemas.grading.rubric import Rubric, RubricQuestion
from sidelight.schemas.run import CitedSentence
from sidelight.text import count_words

Grades = Mapping[int, str | Unjudged]


def weighted_question_mean(rubric: Rubric, value: Callable[[RubricQuestion], float]) -> float:
    """Return the importance-weighted mean of `value` over the questions of a rubric.

    A rubric has at least one question of positive weight, so the denominator is never 0. `fsum`
    is exact before rounding, so the order of the questions cannot change the result.
    """
    weighted = (question.weight * value(question) for question in rubric.questions)
    return fsum(weighted) / rubric.total_weight


def question_coverage(
    rubric: Rubric, labels: Mapping[tuple[int, int], str | Unjudged], scale: LabelScale
) -> float:
    """Return the coverage of a rubric's questions, in [0, 1].

    `labels` are by (rubric question rank, submitted question rank). A compound question is excluded
    by leaving its pairs out.
    """
    best: dict[int, float] = {}
    for (rubric_rank, _), label in labels.items():
        gain = 0.0 if isinstance(label, Unjudged) else scale.credit(label)
        best[rubric_rank] = max(gain, best.get(rubric_rank, 0.0))
    return weighted_question_mean(rubric, lambda question: best.get(question.rank, 0.0))


class QuestionCoverage:
    """The coverage, compound questions left out where it is known which they are."""

    measure: ClassVar[Measure] = Measure(
        title="rubric questions asked, weighted by importance; compound questions earn nothing",
    )

    def __call__(
        self,
        bank: Rubric,
        pairs: Mapping[tuple[int, int], str | Unjudged],
        scales: Scales,
        compound: Collection[int] = (),
    ) -> float:
        """Return the coverage of one run on one topic."""
        single = {pair: label for pair, label in pairs.items() if pair[1] not in compound}
        return question_coverage(bank, single, scales["similarity"])


class UnfilteredCoverage:
    """The coverage with compound questions; told where it is known which they are."""

    measure: ClassVar[Measure] = Measure(
        title="the same where compound questions earn what others do",
    )

    def __call__(
        self,
        bank: Rubric,
        pairs: Mapping[tuple[int, int], str | Unjudged],
        scales: Scales,
        compound: Collection[int],  # noqa: ARG002 - without a filter this is the coverage itself
    ) -> float:
        """Return the coverage of one run on one topic."""
        return question_coverage(bank, pairs, scales["similarity"])


class CreditLost:
    """The coverage that compound questions cost a run."""

    measure: ClassVar[Measure] = Measure(
        title="what compound questions would have earned",
        direction="lower",
    )

    def __call__(
        self,
        bank: Rubric,
        pairs: Mapping[tuple[int, int], str | Unjudged],
        scales: Scales,
        compound: Collection[int],
    ) -> float:
        """Return the loss of one run on one topic."""
        given = (bank, pairs, scales, compound)
        return UnfilteredCoverage()(*given) - QuestionCoverage()(*given)


def report_support(
    rubric: Rubric, labels: Mapping[str, str | Unjudged], scale: LabelScale
) -> float:
    """Return the support a report gives to a rubric's answers, in [0, 1]; labels by answer id."""
    return answer_mean(rubric, labels, scale.credit)


def answer_mean(
    rubric: Rubric, labels: Mapping[str, str | Unjudged], value: Callable[[str], float]
) -> float:
    """Return the weighted mean over questions of the mean value of each question's answers.

    An answer without a label, or with one that could not be had, has the value 0.
    """

    def achieved(answer_id: str) -> float:
        label = labels.get(answer_id)
        return 0.0 if label is None or isinstance(label, Unjudged) else value(label)

    return weighted_question_mean(
        rubric,
        lambda question: (
            fsum(achieved(answer.answer_id) for answer in question.answers) / len(question.answers)
        ),
    )


class ReportSupport:
    """The support that a report gives to a rubric's answers."""

    measure: ClassVar[Measure] = Measure(title="rubric answers supported, weighted by importance")

    def __call__(
        self, bank: Rubric, answers: Mapping[str, str | Unjudged], scales: Scales
    ) -> float:
        """Return the support of one run on one topic."""
        return report_support(bank, answers, scales["answers"])


class SupportPerWord:
    """The support that a report gives to a rubric's answers, over its words; 0 without words."""

    measure: ClassVar[Measure] = Measure(
        title="rubric answers supported, weighted by importance, for each word", format=".6f"
    )

    def __call__(
        self,
        bank: Rubric,
        answers: Mapping[str, str | Unjudged],
        report: Sequence[CitedSentence],
        scales: Scales,
    ) -> float:
        """Return the support for each word of one run on one topic."""
        words = sum(count_words(sentence.text) for sentence in report)
        return report_support(bank, answers, scales["answers"]) / words if words else 0.0


def report_contradiction(
    rubric: Rubric, labels: Mapping[str, str | Unjudged], scale: LabelScale
) -> float:
    """Return the share of a rubric's answers that a report contradicts, in [0, 1]."""
    return answer_mean(rubric, labels, lambda label: float(label == scale.opposite))


class ReportContradiction:
    """Weighted share of a rubric's answers that a report contradicts."""

    measure: ClassVar[Measure] = Measure(
        title="rubric answers contradicted, weighted by importance",
        direction="lower",
    )

    def __call__(
        self, bank: Rubric, answers: Mapping[str, str | Unjudged], scales: Scales
    ) -> float:
        """Return the contradiction of one run on one topic."""
        return report_contradiction(bank, answers, scales["answers"])


class StageCredit:
    """The credit of one stage."""

    measure: ClassVar[Measure] = Measure(title="credit that a stage held")

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def __call__(self, stages: Mapping[str, float]) -> float:
        """Return the credit of one run on one topic; 0 for a stage that it did not reach."""
        return stages.get(self._stage, 0.0)


_SCALE_NAME = "question_quality"


class _ToDepth:
    """Base of measures of the first `depth` questions of a run."""

    def __init__(self, depth: int = 10) -> None:
        self._ranks = range(1, checked_depth(depth) + 1)

    def _gains(self, grades: Grades, scale: LabelScale) -> list[float]:
        labels = (grades.get(rank) for rank in self._ranks)
        return [
            0.0 if label is None or isinstance(label, Unjudged) else scale.credit(label)
            for label in labels
        ]

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
