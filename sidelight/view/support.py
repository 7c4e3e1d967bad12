"""How far the sentences of a report are supported: by the run's own check, and by a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.investigation.trace import Trace
    from sidelight.schemas.run import CitedSentence

    Verdicts = Mapping[str, "Verdict"]
    """By the number of a sentence."""

_IN_FULL = "full"


class Verdict(NamedTuple):
    """How far a sentence is supported.

    Attributes:
        label: How far.
        reason: Why.
        said_by: The segments that support it so far, each by itself; empty for all it cites.
    """

    label: str
    reason: str
    said_by: tuple[str, ...] = ()


def checked_support(report: Sequence[CitedSentence], trace: Trace) -> Verdicts:
    """Return what the run's own check says of each sentence that it labelled.

    It says nothing of a sentence that lost a citation after the check.
    """
    labels = {
        (one.text, frozenset(one.segment_ids)): Verdict(one.label, one.reason, one.said_by)
        for stood in trace.stood.values()
        for one in stood
    }
    return {
        str(number): found
        for number, sentence in enumerate(report, start=1)
        if (found := labels.get((sentence.text, frozenset(sentence.citations))))
    }


def agreed(checked: Verdicts, judged: Verdicts) -> Verdicts:
    """Return what a judge says, where there is one; it alone makes nothing supported in full.

    Args:
        checked: By the run's own check, which learned from people.
        judged: By a judge.
    """
    heeded = {
        number: verdict
        for number, verdict in judged.items()
        if verdict.label != _IN_FULL or number not in checked
    }
    return {**checked, **heeded}
