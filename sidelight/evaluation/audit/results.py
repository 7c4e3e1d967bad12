"""What probes and attacks did to a judge's verdicts."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sidelight.formats.table import write_table
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.audit.attacks import Attack
    from sidelight.evaluation.audit.probes import Probe
    from sidelight.schemas.grading.label_scale import LabelScale

    Labels: TypeAlias = Mapping["Place", "Label"]

Label: TypeAlias = str | Unjudged
Place: TypeAlias = tuple[str, str, str]
"""Run tag, topic id, and the unit that a label is given to."""


class Change(NamedTuple):
    """A verdict that changed; an empty label stands for a verdict that could not be had.

    Attributes:
        probe: The name of the probe.
        run_tag: The run.
        topic_id: The topic.
        what: The answer, or the ranks of the rubric question and of the submitted one.
        before: The label.
        after: The label under the probe.
    """

    probe: str
    run_tag: str
    topic_id: str
    what: str
    before: str
    after: str


class ProbeResult(Value):
    """What one probe did to the verdicts.

    Attributes:
        probe: Its name.
        about: What it changes.
        n_verdicts: Verdicts compared: those that could be had before, after, or both times.
        n_changed: How many of them changed.
        n_gained: Changes to a label that earns more credit.
        n_lost: Changes to a label that earns less.
        n_unjudged: Changes from or to a verdict that could not be had.
        credit_change: Mean change of a verdict's credit, in [-1, 1], over those that could be had
            both times; 0 when there are none.
        most: Of an attack on answers, the largest share of their credit that it may leave; None for
            other probes.
        left: The share that it leaves; None where the answers themselves earn nothing.
        holds: Whether the share that changed, or that gained where a probe is made to gain, is
            within the tolerance; of an attack on answers, whether it leaves little enough of their
            credit. False when there was nothing to compare.
    """

    probe: str
    about: str
    n_verdicts: int
    n_changed: int
    n_gained: int
    n_lost: int
    n_unjudged: int
    credit_change: float
    most: float | None = None
    left: float | None = None
    holds: bool

    @property
    def share_changed(self) -> float:
        """Return the share of verdicts that changed; 0 when there are none."""
        return self.n_changed / self.n_verdicts if self.n_verdicts else 0.0

    @property
    def verdict(self) -> str:
        """Say in one line what was found."""
        if not self.n_verdicts:
            return f"unknown: no verdict could be had, with or without {self.about}"
        if self.most is not None and self.left is None:
            return "unknown: the answers themselves earn nothing"
        if self.left is not None:
            found = f"of the credit of answers, {self.left:.0%} is left to {self.about}"
            return f"{'holds' if self.holds else 'FAILS'}: {found}"
        if not self.n_changed:
            return f"holds: {self.about} changes no verdict"
        found = (
            f"{self.about} changes {self.share_changed:.1%} of the verdicts "
            f"({self.n_gained} gain credit, {self.n_lost} lose some)"
        )
        return f"{'holds' if self.holds else 'FAILS'}: {found}"


class Audit(NamedTuple):
    """What all probes found about a judge, and every verdict that changed."""

    judge: str
    results: list[ProbeResult]
    changes: list[Change]


def write_changes(path: Path, changes: Sequence[Change]) -> None:
    """Write a CSV with a row for each verdict that changed."""
    write_table(path, Change._fields, changes)


def compare_probe(
    probe: Probe[Any], before: Labels, after: Labels, scale: LabelScale, tolerance: float
) -> tuple[ProbeResult, list[Change]]:
    """Return what a probe did, and every verdict that it changed."""
    pairs = _pairs(before, after)
    credit = _steps(pairs, scale)
    changed = [pair for pair in pairs if pair[1] != pair[2]]
    at_issue = sum(step > 0 for step in credit) if probe.attack else len(changed)
    holds = bool(pairs) and at_issue <= tolerance * len(pairs)
    result = _result(probe.name, probe.about, pairs, scale, holds=holds)
    return result, [_change(probe.name, pair) for pair in changed]


def compare_attack(
    attack: Attack, before: Labels, after: Labels, scale: LabelScale
) -> tuple[ProbeResult, list[Change]]:
    """Return what an attack left of the credit of answers, and every verdict that still earns."""
    pairs = _pairs(before, after)
    known = [
        (scale.credit(first), scale.credit(second))
        for _, first, second in pairs
        if not isinstance(first, Unjudged) and not isinstance(second, Unjudged)
    ]
    honest = fsum(first for first, _ in known)
    left = fsum(second for _, second in known) / honest if honest else None
    holds = left is not None and left <= attack.most
    result = _result(attack.name, attack.about, pairs, scale, holds=holds)
    earning = [
        pair for pair in pairs if not isinstance(pair[2], Unjudged) and scale.credit(pair[2])
    ]
    return (
        result.model_copy(update={"most": attack.most, "left": left}),
        [_change(attack.name, pair) for pair in earning],
    )


def _pairs(before: Labels, after: Labels) -> list[tuple[Place, Label, Label]]:
    """Return the labels that could be had before, after, or both times."""
    return [
        (place, first, after[place])
        for place, first in before.items()
        if _judged(first) or _judged(after[place])
    ]


def _steps(pairs: Sequence[tuple[Place, Label, Label]], scale: LabelScale) -> list[float]:
    return [
        scale.credit(second) - scale.credit(first)
        for _, first, second in pairs
        if not isinstance(first, Unjudged) and not isinstance(second, Unjudged)
    ]


def _result(
    name: str,
    about: str,
    pairs: Sequence[tuple[Place, Label, Label]],
    scale: LabelScale,
    *,
    holds: bool,
) -> ProbeResult:
    credit = _steps(pairs, scale)
    return ProbeResult(
        probe=name,
        about=about,
        n_verdicts=len(pairs),
        n_changed=sum(first != second for _, first, second in pairs),
        n_gained=sum(step > 0 for step in credit),
        n_lost=sum(step < 0 for step in credit),
        n_unjudged=len(pairs) - len(credit),
        credit_change=fsum(credit) / len(credit) if credit else 0.0,
        holds=holds,
    )


def _change(name: str, pair: tuple[Place, Label, Label]) -> Change:
    place, *labels = pair
    return Change(name, *place, *("" if isinstance(one, Unjudged) else one for one in labels))


def _judged(label: Label) -> bool:
    return not isinstance(label, Unjudged)
