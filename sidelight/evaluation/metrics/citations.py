"""Citation measures of a report: weighted support precision and recall, and counts of its size.

Weighted precision, wP = 1 / |C| * sum over i in C of s(l_i): how far the sentences that cite are
supported by what they cite. Weighted recall, wR = 1 / n * sum over i of s(l_i): how far all
sentences are supported; a sentence without citations has no support.

C: the sentences with at least one citation; n: all sentences of the report; l_i: the label of
sentence i against its first citation (as at TREC), or against all of them together; s: the credit
of a label, by the scale of support.

Source: TREC 2025 RAG track overview, section 3.3. Edge cases: without any citation C is empty and
wP is undefined; it is given as 0, and the caller flags it. A report without sentences has a wR of
0. A label that could not be had earns nothing, and the caller counts it. Higher is better; wP is
never below wR.

Counts: words as the track counts them, citations, and sources. Neither more nor fewer are better in
themselves; they are declared as higher is better, because readers want more evidence.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from sidelight.schemas.grading.judgment import Measure, Unjudged
from sidelight.text import budget_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.grading.judgment import JudgedSentence, LabelScale, Scales
    from sidelight.schemas.run import CitedSentence

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


class Words:
    """The words of all sentences, split on white space."""

    measure: ClassVar[Measure] = Measure(title="words of the report", unit="count")

    def __call__(self, report: Sequence[CitedSentence]) -> float:
        """Return the words of one report."""
        return sum(budget_words(sentence.text) for sentence in report)


class CitationCount:
    """The citations of all sentences; a segment counts as often as it is cited."""

    measure: ClassVar[Measure] = Measure(title="citations in the report", unit="count")

    def __call__(self, report: Sequence[CitedSentence]) -> float:
        """Return the citations of one report."""
        return sum(len(sentence.citations) for sentence in report)


class Sources:
    """The different hosts that a report cites; a segment of unknown host counts by itself."""

    measure: ClassVar[Measure] = Measure(title="hosts that the report cites", unit="count")

    def __call__(self, report: Sequence[CitedSentence], hosts: Mapping[str, str]) -> float:
        """Return the sources of one report."""
        return len({hosts.get(name, name) for sentence in report for name in sentence.citations})
