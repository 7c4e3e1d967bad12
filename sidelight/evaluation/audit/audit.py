"""Whether a judge's verdicts change with what should not matter.

Each probe (`audit_probes`) changes one such thing everywhere; the verdicts before and after are
compared one by one. Nothing but the `Judge` protocol is used, so any judge can be audited, and no
labels by people are needed.
"""

from __future__ import annotations

from functools import partial
from math import fsum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from sidelight.errors import InputError
from sidelight.evaluation.audit.probes import QUESTION_PROBES, REPORT_PROBES, Case, Questions
from sidelight.evaluation.labelling.assess import (
    OnLabels,
    check_tags,
    gather_labels,
    ignore,
    questions_of,
    reports_of,
)
from sidelight.formats.table import write_table
from sidelight.schemas.base import Value
from sidelight.schemas.judgment import Unjudged
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.audit.probes import Probe
    from sidelight.evaluation.labelling.base import Judge
    from sidelight.schemas.label_scale import LabelScale
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import QuestionRun, ReportRun, SubmittedReport

S = TypeVar("S")
Label: TypeAlias = str | Unjudged


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


async def audit_reports(
    judge: Judge,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[ReportRun],
    *,
    tolerance: float = 0.0,
    on_labels: OnLabels = ignore,
) -> Audit:
    """Probe a judge with reports.

    Args:
        judge: Who is audited.
        rubrics: Topic id -> rubric.
        runs: What it judges.
        tolerance: The share of verdicts, in [0, 1], that a probe may change, or to which an attack
            may give credit.
        on_labels: Told how many labels have been added, whenever some have.

    Raises:
        InputError: No run has a report on a topic with a rubric, or one has two on a topic.
        UsageError: A run is one of the judge's examples, or two runs share a tag.
    """
    check_tags(judge, [run.run_tag for run in runs])
    cases = [
        Case(rubrics[topic_id], run_tag, report)
        for (topic_id, run_tag), report in reports_of(runs, rubrics).items()
    ]

    async def labels(case: Case[SubmittedReport]) -> list[tuple[str, Label]]:
        return [(item.answer_id, item.label) for item in await judge.assess_report(*case)]

    return await _audit(
        judge, REPORT_PROBES, cases, labels, load_track().scales["answers"], tolerance, on_labels
    )


async def audit_questions(
    judge: Judge,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[QuestionRun],
    *,
    tolerance: float = 0.0,
    on_labels: OnLabels = ignore,
) -> Audit:
    """Probe a judge with questions; see `audit_reports`."""
    check_tags(judge, [run.run_tag for run in runs])
    submitted = (
        Case(rubric, run.run_tag, tuple(questions_of(run, topic_id)))
        for topic_id, rubric in sorted(rubrics.items())
        for run in runs
    )
    cases = [case for case in submitted if case.submission]

    async def labels(case: Case[Questions]) -> list[tuple[str, Label]]:
        return [
            (f"{item.rubric_question_rank}/{item.run_question_rank}", item.label)
            for item in await judge.assess_questions(*case)
        ]

    return await _audit(
        judge,
        QUESTION_PROBES,
        cases,
        labels,
        load_track().scales["similarity"],
        tolerance,
        on_labels,
    )


def write_changes(path: Path, changes: Sequence[Change]) -> None:
    """Write a CSV with a row for each verdict that changed."""
    write_table(path, Change._fields, changes)


async def _audit(
    judge: Judge,
    probes: Sequence[Probe[S]],
    cases: Sequence[Case[S]],
    labels: Callable[[Case[S]], Awaitable[list[tuple[str, Label]]]],
    scale: LabelScale,
    tolerance: float,
    on_labels: OnLabels,
) -> Audit:
    if not cases:
        raise InputError(
            "no run holds anything on a topic that has a rubric",
            remedy="Give the rubrics of the topics that the runs are about.",
        )

    async def judged(
        change: Callable[[Case[S]], Case[S]],
    ) -> dict[tuple[str, str, str], Label]:
        async def one(case: Case[S]) -> list[tuple[tuple[str, str, str], Label]]:
            # A probe may rename the run: verdicts are told apart by what is judged.
            place = case.run_tag, case.rubric.topic_id
            return [((*place, what), label) for what, label in await labels(change(case))]

        return dict(await gather_labels((partial(one, case) for case in cases), on_labels))

    before = await judged(lambda case: case)
    audit = Audit(f"{judge.name} {judge.version}, {judge.kind}", [], [])
    for probe in probes:
        result, changes = _compared(probe, before, await judged(probe.change), scale, tolerance)
        audit.results.append(result)
        audit.changes.extend(changes)
    return audit


def _compared(
    probe: Probe[S],
    before: Mapping[tuple[str, str, str], Label],
    after: Mapping[tuple[str, str, str], Label],
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
