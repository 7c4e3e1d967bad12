"""Task 1 score: how much of a rubric's questions ten submitted questions cover.

S = (1 / W) * sum over q of w_q * max over p of g(l(q, p)), with W = sum over q of w_q.

q: a rubric question, w_q its weight (4, 2 or 1); p: a submitted question; l(q, p): the label of
the pair; g: very-similar 1, similar 0.5, different 0, very-different 0. One submitted question may
earn credit for several rubric questions, and its rank plays no part.

Source: DRAGUN resources paper (arXiv 2602.24277), section 3.2. Edge cases: a pair without a label
counts as very-different (the paper's rule), and so does one that is `Unjudged`; the caller counts
them. Higher is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.metrics.weighted_mean import weighted_question_mean
from sidelight.schemas.judgment import SimilarityLabel, Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.rubric import Rubric

SIMILARITY_GAIN = {
    SimilarityLabel.VERY_SIMILAR: 1.0,
    SimilarityLabel.SIMILAR: 0.5,
    SimilarityLabel.DIFFERENT: 0.0,
    SimilarityLabel.VERY_DIFFERENT: 0.0,
}


def question_coverage(
    rubric: Rubric, labels: Mapping[tuple[int, int], SimilarityLabel | Unjudged]
) -> float:
    """Return the coverage of a rubric's questions, in [0, 1].

    Args:
        rubric: The rubric of the topic.
        labels: (rubric question rank, submitted question rank) -> label. A compound question is
            excluded by leaving its pairs out.
    """
    best: dict[int, float] = {}
    for (rubric_rank, _), label in labels.items():
        gain = 0.0 if isinstance(label, Unjudged) else SIMILARITY_GAIN[label]
        best[rubric_rank] = max(gain, best.get(rubric_rank, 0.0))
    return weighted_question_mean(rubric, lambda question: best.get(question.rank, 0.0))
