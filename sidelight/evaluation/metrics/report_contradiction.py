"""Task 2 diagnostic: how much of a rubric's answers a report contradicts.

S = (1 / W) * sum over q of (w_q / |A_q|) * sum over a in A_q of v(l(a)), W = sum over q of w_q.

The symbols are those of `report_support`; v: contradicts 1, everything else 0.

Source: DRAGUN resources paper (arXiv 2602.24277), section 3.3. Edge cases as in `report_support`.
Lower is better, so unjudged answers flatter a report here: read it beside their share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.metrics.report_support import answer_mean
from sidelight.schemas.judgment import AnswerLabel, Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.rubric import Rubric

CONTRADICTION_VALUE = {
    AnswerLabel.SUPPORTS: 0.0,
    AnswerLabel.PARTIAL: 0.0,
    AnswerLabel.CONTRADICTS: 1.0,
    AnswerLabel.NONE: 0.0,
}


def report_contradiction(rubric: Rubric, labels: Mapping[str, AnswerLabel | Unjudged]) -> float:
    """Return the share of a rubric's answers that a report contradicts, in [0, 1].

    Args:
        rubric: The rubric of the topic.
        labels: Answer id -> label.
    """
    return answer_mean(rubric, labels, CONTRADICTION_VALUE)
