"""Weighted recall: how far the sentences of a report are supported by what they cite.

wR = 1 / n * sum over i of s(l_i).

n: all sentences of the report; l_i and s as in `support_precision`. A sentence without citations
has no support.

Source: TREC 2025 RAG track overview, section 3.3. Edge cases: a report without sentences has 0. A
label that could not be had earns nothing, and the caller counts it. Higher is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.metrics.support_precision import support_by, total_support
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.metrics.support_precision import Citations, SentenceSupport
    from sidelight.schemas.grading.judgment import JudgedSentence
    from sidelight.schemas.grading.label_scale import LabelScale, Scales


def support_recall(sentences: Sequence[SentenceSupport], scale: LabelScale) -> float:
    """Return weighted recall, in [0, 1].

    Args:
        sentences: The support of each sentence of a report.
        scale: What a label of support earns.
    """
    return total_support(sentences, scale) / len(sentences) if sentences else 0.0


class SupportRecall:
    """Weighted recall of a report's sentences.

    Args:
        citations: Which citations of a sentence it is held against.
    """

    measure: ClassVar[Measure] = Measure(
        title="support by all citations, over all sentences",
    )

    def __init__(self, citations: Citations = "all") -> None:
        self._citations = citations

    def __call__(self, sentences: Sequence[JudgedSentence], scales: Scales) -> float:
        """Return the recall of one run on one topic."""
        return support_recall(support_by(sentences, self._citations), scales["support"])
