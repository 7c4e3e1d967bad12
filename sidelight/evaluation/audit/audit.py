"""Whether a judge's verdicts change with what should not matter.

Each probe (`audit.probes`) changes one such thing everywhere; the verdicts before and after are
compared one by one. Nothing is asked of a judge but labels, so any judge can be audited, and no
labels by people are needed.
"""

from __future__ import annotations

from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from sidelight.errors import InputError
from sidelight.evaluation.audit.probes import PROBES
from sidelight.evaluation.labelling.assess import check_unseen, gather_labels, ignore
from sidelight.formats.table import write_table
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.audit.probes import Probe
    from sidelight.evaluation.labelling.assess import OnLabels
    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.labelling.protocol import AssessmentProtocol, RubricCase
    from sidelight.evaluation.labelling.run_kinds import TaskRuns
    from sidelight.schemas.grading.label_scale import LabelScale

S = TypeVar("S")
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
        holds: Whether the share that changed, or for an attack the share that gained, is within the
            tolerance; False when there was nothing to compare.
    """

    probe: str
    about: str
    n_verdicts: int
    n_changed: int
    n_gained: int
    n_lost: int
    n_unjudged: int
    credit_change: float
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


async def audit(
    judge: Judge,
    given: TaskRuns,
    *,
    tolerance: float = 0.0,
    on_labels: OnLabels = ignore,
) -> Audit:
    """Probe a judge with the runs of a task.

    Args:
        judge: Who is audited.
        given: What it judges.
        tolerance: The share of verdicts, in [0, 1], that a probe may change, or to which an attack
            may give credit.
        on_labels: Told how many labels have been added, whenever some have.

    Raises:
        InputError: No run has anything on a topic with a rubric, or what it has cannot be told
            apart.
        UsageError: A run is one of the judge's examples, two runs share a tag, or the judge does
            not label what such runs hold.
    """
    check_unseen(judge, given)
    cases = given.cases()
    if not cases:
        raise InputError(
            "no run holds anything on a topic that has a rubric",
            remedy="Give the rubrics of the topics that the runs are about.",
        )
    found = Audit(judge.title, [], [])
    for protocol in given.kind.protocols:
        if protocol not in PROBES:
            continue
        judged = partial(_judged, judge, protocol, cases, on_labels=on_labels)
        before = await judged(lambda case: case)
        for probe in PROBES[protocol]:
            after = await judged(probe.change)
            result, changes = _compared(probe, before, after, protocol.scale, tolerance)
            found.results.append(result)
            found.changes.extend(changes)
    return found


def write_changes(path: Path, changes: Sequence[Change]) -> None:
    """Write a CSV with a row for each verdict that changed."""
    write_table(path, Change._fields, changes)


async def _judged(
    judge: Judge,
    protocol: AssessmentProtocol[Any, Any],
    cases: Mapping[tuple[str, str], RubricCase[S]],
    change: Callable[[RubricCase[S]], RubricCase[S]],
    on_labels: OnLabels,
) -> dict[Place, Label]:
    """Return the labels of all cases, each changed first, by what they are given to."""

    async def one(topic_id: str, run_tag: str, case: RubricCase[S]) -> list[tuple[Place, Label]]:
        changed = change(case)
        judgments = await judge.label(protocol, changed)
        return [
            ((run_tag, topic_id, unit), judgment.label)
            for unit, judgment in zip(protocol.units(changed), judgments, strict=True)
        ]

    work = (partial(one, *place, case) for place, case in cases.items())
    return dict(await gather_labels(work, on_labels))


def _compared(
    probe: Probe[S],
    before: Mapping[Place, Label],
    after: Mapping[Place, Label],
    scale: LabelScale,
    tolerance: float,
) -> tuple[ProbeResult, list[Change]]:
    changes, credit = [], []
    n_verdicts = n_unjudged = 0
    for key, first in before.items():
        second = after[key]
        unjudged = isinstance(first, Unjudged), isinstance(second, Unjudged)
        if all(unjudged):
            continue
        n_verdicts += 1
        if isinstance(first, Unjudged) or isinstance(second, Unjudged):
            n_unjudged += 1
        else:
            credit.append(scale.credit(second) - scale.credit(first))
        if any(unjudged) or first != second:
            changes.append(Change(probe.name, *key, _text(first), _text(second)))
    n_gained = sum(step > 0 for step in credit)
    at_issue = n_gained if probe.attack else len(changes)
    result = ProbeResult(
        probe=probe.name,
        about=probe.about,
        n_verdicts=n_verdicts,
        n_changed=len(changes),
        n_gained=n_gained,
        n_lost=sum(step < 0 for step in credit),
        n_unjudged=n_unjudged,
        credit_change=fsum(credit) / len(credit) if credit else 0.0,
        holds=n_verdicts > 0 and at_issue <= tolerance * n_verdicts,
    )
    return result, changes


def _text(label: Label) -> str:
    return "" if isinstance(label, Unjudged) else label
