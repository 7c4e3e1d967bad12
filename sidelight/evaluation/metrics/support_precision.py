"""Weighted precision: how far the sentences of a report that cite are supported by what they cite.

wP = 1 / |C| * sum over i in C of s(l_i).

C: the sentences with at least one citation; l_i: the label of sentence i against its first citation
(as at TREC), or against all of them together; s: the credit of a label, by the scale of support.

Source: TREC 2025 RAG track overview, section 3.3. Edge cases: without any citation C is empty and
wP is undefined; it is given as 0, and the caller flags it. A label that could not be had earns
nothing, and the caller counts it. Higher is better; never below weighted recall.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.grading.judgment import JudgedSentence
    from sidelight.schemas.grading.label_scale import LabelScale, Scales

SentenceSupport: TypeAlias = str | Unjudged | None
"""Of one sentence; None where it cites nothing."""

Citations: TypeAlias = Literal["first", "all"]
"""What a sentence is held against."""


def support_precision(sentences: Sequence[SentenceSupport], scale: LabelScale) -> float:
    """Return weighted precision, in [0, 1].

    Args:
        sentences: The support of each sentence of a report.
        scale: What a label of support earns.
    """
    n_cited = sum(support is not None for support in sentences)
    return total_support(sentences, scale) / n_cited if n_cited else 0.0


def total_support(sentences: Sequence[SentenceSupport], scale: LabelScale) -> float:
    """Return the sum of s over all sentences; those that cite nothing have none."""
    return fsum(scale.credit(support) for support in sentences if isinstance(support, str))


def support_by(sentences: Sequence[JudgedSentence], citations: Citations) -> list[SentenceSupport]:
    """Return the support of sentences by their first citation, or by all of them together."""
    return [item.first if citations == "first" else item.all for item in sentences]


class SupportPrecision:
    """Weighted precision of a report's sentences.

    Args:
        citations: Which citations of a sentence it is held against.
    """

    measure: ClassVar[Measure] = Measure(
        title="support by all citations, over the sentences that cite",
    )

    def __init__(self, citations: Citations = "all") -> None:
        self._citations = citations

    def __call__(self, sentences: Sequence[JudgedSentence], scales: Scales) -> float:
        """Return the precision of one run on one topic."""
        return support_precision(support_by(sentences, self._citations), scales["support"])


class NothingCited:
    """Whether a report cites nothing, so that its precision is undefined and given as 0."""

    measure: ClassVar[Measure] = Measure(
        title="1 where a report cites nothing",
        direction="lower",
    )

    def __call__(self, sentences: Sequence[JudgedSentence]) -> float:
        """Return 1 for a report that cites nothing, else 0."""
        return float(all(item.first is None for item in sentences))
