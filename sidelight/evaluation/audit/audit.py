"""Whether a judge's verdicts change with what should not matter, and with what should.

Each probe (`audit.probes`) changes one thing that should not matter everywhere; the verdicts before
and after are compared one by one. Each attack (`audit.attacks`) puts what says nothing of the kind
in the place of a rubric's own answers, and should leave little of their credit. Nothing is asked of
a judge but labels, so any judge can be audited, and no labels by people are needed.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from sidelight.errors import InputError
from sidelight.evaluation.audit.attacks import ATTACKS, Material, honest_trials
from sidelight.evaluation.audit.probes import PROBES
from sidelight.evaluation.audit.results import Audit, compare_attack, compare_probe
from sidelight.evaluation.labelling.assess import check_unseen, gather_labels, ignore
from sidelight.evaluation.labelling.protocol import RubricCase
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.schemas.task import CitedTextTask

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sidelight.evaluation.audit.attacks import Trial
    from sidelight.evaluation.audit.results import Label, Place
    from sidelight.evaluation.labelling.assess import OnLabels
    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.labelling.protocol import AssessmentProtocol
    from sidelight.evaluation.labelling.run_kinds import TaskRuns
    from sidelight.schemas.grading.rubric import Rubric

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

    Args:
        judge: Who is audited.
        given: What it judges.
        tolerance: The share of verdicts, in [0, 1], that a probe may change, or to which an attack
            may give credit; attacks on answers have bounds of their own.
        articles: Topic id -> text; without any, none is pasted.
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
            result, changes = compare_probe(probe, before, after, protocol.scale, tolerance)
            found.results.append(result)
            found.changes.extend(changes)
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
            found.changes.extend(changes)


async def _tried(
    judge: Judge, given: TaskRuns, rubric: Rubric, trial: Trial
) -> list[tuple[Place, Label]]:
    """Return the labels of a report's own answers, by answer; the report is cut at the limit."""
    report, _ = given.kind.fit(trial.report, given.task)
    case = RubricCase(rubric, report)
    judgments = await judge.label(REPORT_ANSWERS, case)
    labels = zip(REPORT_ANSWERS.units(case), judgments, strict=True)
    return [
        ((report.metadata.run_id, rubric.topic_id, unit), judgment.label)
        for unit, judgment in labels
        if unit in trial.answer_ids
    ]
