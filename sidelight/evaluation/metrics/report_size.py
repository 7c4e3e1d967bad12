"""How large a report is: its words as the track counts them, its citations, and its sources.

Neither more nor fewer are better in themselves; they are told as higher, as more evidence is what a
reader is after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.schemas.grading.measure import Measure
from sidelight.text import budget_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.run import CitedSentence


class Words:
    """The words of all sentences, split on white space."""

    measure: ClassVar[Measure] = Measure(title="words of the report", unit="count")

    def __call__(self, report: Sequence[CitedSentence]) -> float:
        """Return the words of one report."""
        return sum(budget_words(sentence.text) for sentence in report)


class Citations:
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
