"""How much of a rubric's questions the submitted questions cover.

S = (1 / W) * sum over q of w_q * max over p of g(l(q, p)), with W = sum over q of w_q.

q: a rubric question, w_q its weight; p: a submitted question; l(q, p): the label of the pair; g:
the credit of a label, by the track's scale. One submitted question may earn credit for several
rubric questions, and its rank plays no part.

Source: DRAGUN resources paper (arXiv 2602.24277), section 3.2. Edge cases: a pair without a label
earns nothing (the paper's rule), and so does one that is `Unjudged`; the caller counts them. Higher
is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.metrics.weighted_mean import weighted_question_mean
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sidelight.schemas.grading.label_scale import LabelScale, Scales
    from sidelight.schemas.grading.rubric import Rubric


def question_coverage(
    rubric: Rubric, labels: Mapping[tuple[int, int], str | Unjudged], scale: LabelScale
) -> float:
    """Return the coverage of a rubric's questions, in [0, 1].

    Args:
        rubric: The rubric of the topic.
        labels: (rubric question rank, submitted question rank) -> label. A compound question is
            excluded by leaving its pairs out.
        scale: What a label of a pair earns.
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
        return UnfilteredCoverage()(bank, pairs, scales, compound) - QuestionCoverage()(
            bank, pairs, scales, compound
        )
