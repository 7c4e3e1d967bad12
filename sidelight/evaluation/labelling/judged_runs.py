"""Runs judged: their labels in files, with a manifest that says who gave them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidelight.evaluation.labelling.assess import assess, check_unseen, ignore
from sidelight.evaluation.labelling.manifest import JudgingManifest, write_manifest
from sidelight.evaluation.labelling.overlap import overlaps
from sidelight.formats.labels.assessments import write_assessments
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from pathlib import Path

    from sidelight.evaluation.labelling.assess import OnLabels
    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.labelling.protocol import AssessmentProtocol
    from sidelight.evaluation.labelling.run_kinds import TaskRuns


async def assess_runs(
    judge: Judge, given: TaskRuns, on_labels: OnLabels = ignore
) -> dict[AssessmentProtocol[Any, Any], list[Any]]:
    """Judge the runs of a task on the topics that have rubrics.

    The judge is given one topic after the other, all runs of each.

    Args:
        judge: Who judges.
        given: What is judged.
        on_labels: Told how many labels have been added, whenever some have.

    Returns:
        The assessments by protocol, each in its order.

    Raises:
        InputError: Two things that a run submitted cannot be told apart.
        UsageError: A run is one of the judge's examples, or two runs share a tag, or the judge does
            not label what such runs hold.
    """
    check_unseen(judge, given)
    cases = [(run_tag, case) for (_, run_tag), case in given.cases().items()]
    return {
        protocol: await assess(judge, protocol, cases, on_labels)
        for protocol in given.kind.protocols
    }


async def judge_runs(
    judge: Judge, given: TaskRuns, folder: Path, on_labels: OnLabels = ignore
) -> JudgingManifest:
    """Judge the runs of a task, and write the labels and the manifest; see `assess_runs`.

    Raises:
        InputError: The folder holds assessments of another judge or version.
    """
    found = await assess_runs(judge, given, on_labels)
    task = given.task.name
    labels = [item.label for assessments in found.values() for item in assessments]
    manifest = JudgingManifest(
        judge=judge.name,
        version=judge.version,
        kind=judge.kind,
        runs={task: overlaps(given, judge.examples)},
        over_limits={task: given.over_limits()},
        n_topics=len(given.rubrics),
        example_run_tags=tuple(sorted(judge.example_run_tags)),
        instrument=judge.instrument,
        agreement=dict(judge.agreement),
        n_unjudged={task: sum(isinstance(label, Unjudged) for label in labels)},
    )
    write_manifest(folder, manifest)
    for protocol, assessments in found.items():
        write_assessments(folder / protocol.file_name, protocol.kind, assessments)
    return manifest
