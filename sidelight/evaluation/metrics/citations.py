"""Citation measures of a report: weighted support precision and recall, and counts of its size.

Weighted precision, wP = 1 / |C| * sum over i in C of s(l_i): how far the sentences that cite are
supported by what they cite. Weighted recall, wR = 1 / n * sum over i of s(l_i): how far all
sentences are supported; a sentence without citations has no support.

C: the sentences with at least one citation; n: all sentences of the report; l_i: the label of
sentence i against its first citation (as at TREC), or against all of them together; s: the credit
of a label, by the scale of support.

Source: TREC 2025 RAG track overview, section 3.3. Edge cases: without any citation C is empty and
wP is undefined; it is given as 0, and the caller flags it. A report without sentences has a wR of
0. A label that could not be had earns nothing, or its sentence is left out of C and n, as the
caller chooses; the caller counts it. Higher is better; wP is never below wR.

Counts: words as the track counts them, citations, and sources. Neither more nor fewer are better in
themselves.

Nugget measures of an answer: nugget recall, weighted nugget score, and sub-narrative coverage.

Nugget recall, S = (1 / |N|) * sum over n in N of v(l(n)).

N: the nuggets that count, either those of the highest importance ("vital") or all; l(n): the label
of the answer for nugget n; v: the credit of a label by the track's scale, or, where it is strict,
1 for the highest label and 0 for every other. Importance decides which nuggets count, never how
much: strict vital, vital, strict all and all are its four cases. Source: TREC 2025 RAG track
overview, section 3.2; Pradeep et al., The Great Nugget Recall (SIGIR 2025), section 3. Edge cases:
on a topic without a vital nugget vital recall is undefined. |N| is taken from the bank, never from
the labels.

Weighted score, S = max(-1, (1 / W) * sum over n of w_n * v(l(n))), with W = sum over n of
max(w_n, 0).

w_n: the weight of nugget n, below 0 for a fault that an answer should be free of. An answer that
commits faults alone is below 0; at most it has 1. Source: Sharma et al., ResearchRubrics (2025),
whose criteria weigh from -5 to 5; the bound at -1 is ours, so that faults on one topic never cost
more than all that a topic can earn. Edge case: without a nugget of positive weight nothing can be
earned, and the sum itself stands in the place of its share.

Coverage, S = |{p in P : some n in N_p has the highest label}| / |P|.

P: the sub-narratives that nuggets of the topic belong to; N_p: the nuggets of sub-narrative p. One
nugget told in full covers a sub-narrative, whatever its importance; one told in part does not.
Source: TREC 2025 RAG track overview, section 3.2. Edge case: where no nugget is mapped to a
sub-narrative there is nothing to cover, and S is undefined.

In all three a label that could not be had earns, costs and covers nothing, and the caller counts
it. Higher is better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import ClassVar, Literal, TypeAlias

from sidelight.schemas.grading.judgment import JudgedSentence, LabelScale, Measure, Scales, Unjudged
from sidelight.schemas.grading.rubric import NuggetBank
from sidelight.schemas.run import CitedSentence
from sidelight.text import budget_words

Citations: TypeAlias = Literal["first", "all"]
"""What a sentence is held against."""


class _Support:
    """Base of measures of support; `leave_out` leaves out sentences that could not be judged."""

    _over_all: ClassVar[bool] = False

    def __init__(self, citations: Citations = "all", *, leave_out: bool = False) -> None:
        self._citations, self._leave_out = citations, leave_out

    def __call__(self, sentences: Sequence[JudgedSentence], scales: Scales) -> float:
        """Return the measure of one run on one topic, in [0, 1]."""
        found = [one.first if self._citations == "first" else one.all for one in sentences]
        kept = [one for one in found if not (self._leave_out and isinstance(one, Unjudged))]
        n = len(kept) if self._over_all else sum(one is not None for one in kept)
        scale = scales["support"]
        return fsum(scale.credit(one) for one in kept if isinstance(one, str)) / n if n else 0.0


class SupportPrecision(_Support):
    """Weighted precision of a report's sentences."""

    measure: ClassVar[Measure] = Measure(
        title="support by all citations, over the sentences that cite",
    )


class NothingCited:
    """Whether a report cites nothing, so that its precision is undefined and given as 0."""

    measure: ClassVar[Measure] = Measure(title="1 where a report cites nothing", direction="lower")

    def __call__(self, sentences: Sequence[JudgedSentence]) -> float:
        """Return 1 for a report that cites nothing, else 0."""
        return float(all(item.first is None for item in sentences))


class SupportRecall(_Support):
    """Weighted recall of a report's sentences."""

    measure: ClassVar[Measure] = Measure(title="support by all citations, over all sentences")
    _over_all = True


class Words:
    """The words of all sentences, split on white space."""

    measure: ClassVar[Measure] = Measure(
        title="words of the report", direction="none", unit="count", format=".2f"
    )

    def __call__(self, report: Sequence[CitedSentence]) -> float:
        """Return the words of one report."""
        return sum(budget_words(sentence.text) for sentence in report)


class CitationCount:
    """The citations of all sentences; a segment counts as often as it is cited."""

    measure: ClassVar[Measure] = Measure(
        title="citations in the report", direction="none", unit="count", format=".2f"
    )

    def __call__(self, report: Sequence[CitedSentence]) -> float:
        """Return the citations of one report."""
        return sum(len(sentence.citations) for sentence in report)


class Sources:
    """The different hosts that a report cites; a segment of unknown host counts by itself."""

    measure: ClassVar[Measure] = Measure(
        title="hosts that the report cites", direction="none", unit="count", format=".2f"
    )

    def __call__(self, report: Sequence[CitedSentence], hosts: Mapping[str, str]) -> float:
        """Return the sources of one report."""
        return len({hosts.get(name, name) for sentence in report for name in sentence.citations})


def label_value(scale: LabelScale, *, strict: bool) -> Callable[[str | Unjudged], float]:
    """Return what a label earns: its credit; if `strict`, 1 for the highest and 0 for others."""

    def value(label: str | Unjudged) -> float:
        if isinstance(label, Unjudged):
            return 0.0
        return float(label == scale.highest) if strict else scale.credit(label)

    return value


class NuggetRecall:
    """The share of nuggets that an answer tells.

    `among` says whether the nuggets of the highest importance count, or all. If `strict`, only a
    nugget that is told in full earns anything.
    """

    measure: ClassVar[Measure] = Measure(title="vital nuggets told in full, over vital nuggets")

    def __init__(self, among: Literal["vital", "all"] = "vital", *, strict: bool = True) -> None:
        self._among = among
        self._strict = strict

    def __call__(
        self, bank: NuggetBank, nuggets: Sequence[str | Unjudged], scales: Scales
    ) -> float | None:
        """Return the recall of one answer; None where no nugget counts."""
        value = label_value(scales["nuggets"], strict=self._strict)
        vital = scales["nugget_importance"].highest
        counted = [
            value(label)
            for nugget, label in zip(bank.nuggets, nuggets, strict=True)
            if self._among == "all" or nugget.importance.name == vital
        ]
        return fsum(counted) / len(counted) if counted else None


class SignedNuggetScore:
    """Nuggets told, by weight, over the positive weight there is."""

    measure: ClassVar[Measure] = Measure(
        title="nuggets told, by weight, less those that should not be"
    )

    def __call__(
        self, bank: NuggetBank, nuggets: Sequence[str | Unjudged], scales: Scales
    ) -> float:
        """Return the score of one answer."""
        value = label_value(scales["nuggets"], strict=False)
        earned = fsum(
            nugget.weight * value(label)
            for nugget, label in zip(bank.nuggets, nuggets, strict=True)
        )
        share = earned / (fsum(max(nugget.weight, 0.0) for nugget in bank.nuggets) or 1.0)
        return max(-1.0, share)


class SubNarrativeCoverage:
    """The share of sub-narratives of which some nugget is told in full."""

    measure: ClassVar[Measure] = Measure(title="sub-narratives with a nugget told in full")

    def __call__(
        self, bank: NuggetBank, nuggets: Sequence[str | Unjudged], scales: Scales
    ) -> float | None:
        """Return the coverage of one answer; None where there is nothing to cover."""
        full = scales["nuggets"].highest
        covered: dict[str, bool] = {}
        for nugget, label in zip(bank.nuggets, nuggets, strict=True):
            if part := nugget.sub_narrative:
                covered[part] = covered.get(part, False) or label == full
        return sum(covered.values()) / len(covered) if covered else None
