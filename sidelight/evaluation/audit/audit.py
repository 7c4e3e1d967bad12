"""Audit of a judge: how often probes change its labels, and how much credit attacks still earn.

Each probe changes one thing everywhere that should not matter; the labels before and after are
compared one by one. Each attack replaces a rubric's own answers by text that does not say the same,
and should leave little of their credit (both in `audit.text_attacks`). Only labels are asked of a
judge, so any judge can be audited, and no labels by people are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from sidelight.evaluation.audit.text_attacks import (
    ATTACKS,
    PROBES,
    Attack,
    Material,
    Probe,
    Trial,
    honest_trials,
)
from sidelight.evaluation.labelling.judge import AssessmentProtocol, Judge, RubricCase
from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS
from sidelight.evaluation.labelling.run_kinds import (
    OnLabels,
    TaskRuns,
    checked_cases,
    gather_labels,
    ignore,
)
from sidelight.formats.table import write_table
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import LabelScale, Unjudged
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedReport
from sidelight.schemas.task import CitedTextTask
from sidelight.text import counted

Label: TypeAlias = str | Unjudged
Place: TypeAlias = tuple[str, str, str]
"""Run tag, topic id, and the unit that a label is given to."""
Labels: TypeAlias = Mapping[Place, Label]


class Change(NamedTuple):
    """A verdict that changed; an empty label stands for a verdict that could not be had.

    `what` is the answer, or the ranks of the rubric question and of the submitted one. `wanted` is
    the text of the answer or of the rubric question, and `judged` what the label `after` is for.
    """

    probe: str
    run_tag: str
    topic_id: str
    what: str
    before: str
    after: str
    wanted: str = ""
    judged: str = ""


class ProbeResult(Value):
    """Effect of one probe on the labels.

    Attributes:
        n_verdicts: Verdicts compared: those that could be had before, after, or both times.
        n_gained: Changes to a label that earns more credit.
        n_unjudged: Changes from or to a verdict that could not be had.
        credit_change: Mean change of a verdict's credit, in [-1, 1], over those that could be had
            both times; None when there are none.
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
    credit_change: float | None
    most: float | None = None
    left: float | None = None
    holds: bool

    @property
    def share_changed(self) -> float | None:
        """Return the share of verdicts that changed; None when there are none."""
        return self.n_changed / self.n_verdicts if self.n_verdicts else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the 95% interval (Wilson) of the share of verdicts that changed."""
        from scipy.stats import binomtest

        if not self.n_verdicts:
            return None
        found = binomtest(self.n_changed, self.n_verdicts).proportion_ci(method="wilson")
        return float(found.low), float(found.high)

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
        low, high = self.interval or (0.0, 1.0)
        if not self.n_changed:
            few = f"of {self.n_verdicts}; 95%: at most {high:.1%}"
            return f"holds: no verdict changes with {self.about} ({few})"
        found = (
            f"{self.n_changed / self.n_verdicts:.1%} of {counted(self.n_verdicts, 'verdict')} "
            f"(95%: {low:.1%} to {high:.1%}) change with {self.about} "
            f"({self.n_gained} gain credit, {self.n_lost} lose some)"
        )
        return f"{'holds' if self.holds else 'FAILS'}: {found}"


class Audit(NamedTuple):
    """Results of all probes of a judge, and every label that changed."""

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
    changed = [pair for pair in pairs if pair[1] != pair[2]]
    gained = sum(after > before for before, after in _credits(pairs, scale))
    at_issue = gained if probe.attack else len(changed)
    holds = bool(pairs) and at_issue <= tolerance * len(pairs)
    result = _result(probe, pairs, scale, holds=holds)
    return result, [_change(probe.name, pair) for pair in changed]


def compare_attack(
    attack: Attack, before: Labels, after: Labels, scale: LabelScale
) -> tuple[ProbeResult, list[Change]]:
    """Return what an attack left of the credit of answers, and every verdict that still earns."""
    pairs = _pairs(before, after)
    known = _credits(pairs, scale)
    honest = fsum(first for first, _ in known)
    left = fsum(second for _, second in known) / honest if honest else None
    holds = left is not None and left <= attack.most
    result = _result(attack, pairs, scale, holds=holds, most=attack.most, left=left)
    earning = [
        pair for pair in pairs if not isinstance(pair[2], Unjudged) and scale.credit(pair[2])
    ]
    return result, [_change(attack.name, pair) for pair in earning]


def _pairs(before: Labels, after: Labels) -> list[tuple[Place, Label, Label]]:
    """Return the labels that could be had before, after, or both times."""
    return [
        (place, first, after[place])
        for place, first in before.items()
        if not (isinstance(first, Unjudged) and isinstance(after[place], Unjudged))
    ]


def _credits(
    pairs: Sequence[tuple[Place, Label, Label]], scale: LabelScale
) -> list[tuple[float, float]]:
    """Return what labels earn before and after, of those that could be had both times."""
    return [
        (scale.credit(first), scale.credit(second))
        for _, first, second in pairs
        if not isinstance(first, Unjudged) and not isinstance(second, Unjudged)
    ]


def _result(
    probe: Probe[Any] | Attack,
    pairs: Sequence[tuple[Place, Label, Label]],
    scale: LabelScale,
    **found: Any,
) -> ProbeResult:
    steps = [after - before for before, after in _credits(pairs, scale)]
    return ProbeResult(
        probe=probe.name,
        about=probe.about,
        n_verdicts=len(pairs),
        n_changed=sum(first != second for _, first, second in pairs),
        n_gained=sum(step > 0 for step in steps),
        n_lost=sum(step < 0 for step in steps),
        n_unjudged=len(pairs) - len(steps),
        credit_change=fsum(steps) / len(steps) if steps else None,
        **found,
    )


def _change(name: str, pair: tuple[Place, Label, Label]) -> Change:
    place, *labels = pair
    return Change(name, *place, *("" if isinstance(one, Unjudged) else one for one in labels))


S = TypeVar("S")


async def audit(
    judge: Judge,
    given: TaskRuns,
    *,
    tolerance: float = 0.0,
    articles: Mapping[str, str] = MappingProxyType({}),
    on_labels: OnLabels = ignore,
) -> Audit:
    """Probe a judge with the runs of a task.

    Attacks on answers need no runs: they are made once for each topic that some run is about.
    `tolerance` is the share of verdicts, in [0, 1], that a probe may change, or to which an attack
    may give credit; attacks on answers have bounds of their own. Without `articles`, texts by topic
    id, none is pasted.
    """
    cases = checked_cases(judge, given)
    found = Audit(judge.title, [], [])
    for protocol in given.kind.protocols:
        if protocol not in PROBES:
            continue
        judged = partial(_judged, judge, protocol, cases, on_labels=on_labels)
        before = await judged(lambda case: case)
        for probe in PROBES[protocol]:
            after = await judged(probe.change)
            result, changes = compare_probe(probe, before, after, protocol.scale, tolerance)
            found.results.append(result)
            found.changes.extend(
                _with_texts(one, probe.change(cases[one.topic_id, one.run_tag])) for one in changes
            )
    task = given.task
    if isinstance(task, CitedTextTask):
        topics = sorted({topic_id for topic_id, _ in cases})
        materials = [
            Material(given.rubrics[topic_id], task.max_words, articles.get(topic_id, ""))
            for topic_id in topics
        ]
        await _attack(judge, given, materials, found, on_labels)
    return found


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


async def _attack(
    judge: Judge, given: TaskRuns, materials: Sequence[Material], found: Audit, on_labels: OnLabels
) -> None:
    """Add to an audit what attacks leave of the credit of a rubric's own answers."""

    async def labels_of(make: Callable[[Material], list[Trial]]) -> dict[Place, Label]:
        trials = [(one.rubric, trial) for one in materials for trial in make(one)]
        work = (partial(_tried, judge, given, *trial) for trial in trials if trial[1].answer_ids)
        return dict(await gather_labels(work, on_labels))

    honest = await labels_of(honest_trials)
    for attack in ATTACKS:
        after = await labels_of(attack.trials)
        if after:
            before = {place: honest[place] for place in after}
            result, changes = compare_attack(attack, before, after, REPORT_ANSWERS.scale)
            found.results.append(result)
            read = {
                (material.rubric.topic_id, answer_id): _case(given, material.rubric, trial)
                for material in materials
                for trial in attack.trials(material)
                for answer_id in trial.answer_ids
            }
            found.changes.extend(_with_texts(one, read[one.topic_id, one.what]) for one in changes)


def _case(given: TaskRuns, rubric: Rubric, trial: Trial) -> RubricCase[Any]:
    """Return the report of a trial, cut at the limit, beside the rubric."""
    return RubricCase(rubric, given.kind.fit(trial.report, given.task).submission)


def _with_texts(change: Change, case: RubricCase[Any]) -> Change:
    """Add what was wanted and what was judged to a verdict on a case."""
    texts, submission = case.rubric.texts, case.submission
    if isinstance(submission, SubmittedReport):
        return change._replace(wanted=texts[change.what], judged=submission.text)
    wanted, submitted = map(int, change.what.split("/"))
    judged = next(one.text for one in submission if one.rank == submitted)
    return change._replace(wanted=texts[wanted], judged=judged)


async def _tried(
    judge: Judge, given: TaskRuns, rubric: Rubric, trial: Trial
) -> list[tuple[Place, Label]]:
    """Return the labels of a report's own answers, by answer."""
    case = _case(given, rubric, trial)
    judgments = await judge.label(REPORT_ANSWERS, case)
    labels = zip(REPORT_ANSWERS.units(case), judgments, strict=True)
    return [
        ((case.submission.metadata.run_id, rubric.topic_id, unit), judgment.label)
        for unit, judgment in labels
        if unit in trial.answer_ids
    ]
