"""How much of a rubric's answers a report contradicts.

S = (1 / W) * sum over q of (w_q / |A_q|) * sum over a in A_q of v(l(a)), W = sum over q of w_q.

The symbols are those of `report_support`; v: 1 for the label that opposes, else 0.

Source: DRAGUN resources paper (arXiv 2602.24277), section 3.3. Edge cases as in `report_support`.
Lower is better, so unjudged answers flatter a report here: read it beside their share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.metrics.report_support import answer_mean
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.grading.judgment import Unjudged
    from sidelight.schemas.grading.label_scale import LabelScale, Scales
    from sidelight.schemas.grading.rubric import Rubric


def report_contradiction(
    rubric: Rubric, labels: Mapping[str, str | Unjudged], scale: LabelScale
) -> float:
    """Return the share of a rubric's answers that a report contradicts, in [0, 1].

    Args:
        rubric: The rubric of the topic.
        labels: Answer id -> label.
        scale: Which label of an answer opposes it.
    """
    return answer_mean(rubric, labels, lambda label: float(label == scale.opposite))


class ReportContradiction:
    """How much of a rubric's answers a report contradicts."""

    measure: ClassVar[Measure] = Measure(
        title="rubric answers contradicted, weighted by importance",
        direction="lower",
    )

    def __call__(
        self, bank: Rubric, answers: Mapping[str, str | Unjudged], scales: Scales
    ) -> float:
        """Return the contradiction of one run on one topic."""
        return report_contradiction(bank, answers, scales["answers"])
