"""Judging of runs: label files, the manifest that says who gave the labels, and a check for copies.

The manifest lies beside the assessments as `manifest.json`. The check for copies tells how close
runs are to the examples that a judge was shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from sidelight.errors import InputError
from sidelight.evaluation.labelling.assess import assess, check_unseen, ignore
from sidelight.evaluation.labelling.judge import Instrument, JudgeAgreement, JudgeKind
from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS
from sidelight.files import atomic_write
from sidelight.formats.labels.assessments import write_assessments
from sidelight.formats.lines import read_bytes
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import shingles

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sidelight.evaluation.labelling.assess import OnLabels
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.labelling.protocol import AssessmentProtocol
    from sidelight.evaluation.labelling.run_kinds import TaskRuns

_Sequences = frozenset[tuple[str, ...]]


def overlaps(given: TaskRuns, examples: Examples | None) -> dict[str, float]:
    """Return run tag -> how near a run comes to a copy of the examples, on its nearest topic.

    Args:
        given: What is judged.
        examples: What the judge was shown.

    Returns:
        The largest share, over topics, of a run's five-word sequences that also occur in the
        examples of the topic.
    """
    kind = given.kind
    shown = _by_topic(kind.example_texts(examples)) if examples else {}
    submitted = {run.run_tag: _by_topic(kind.texts(run)) for run in given.runs}
    return {
        run_tag: max(
            (
                len(sequences & shown.get(topic_id, frozenset())) / len(sequences)
                for topic_id, sequences in topics.items()
                if sequences
            ),
            default=0.0,
        )
        for run_tag, topics in sorted(submitted.items())
    }


def _by_topic(items: Iterable[tuple[str, str]]) -> dict[str, _Sequences]:
    """Return the five-word sequences of all texts of a topic, by topic."""
    groups: dict[str, _Sequences] = {}
    for topic_id, text in items:
        groups[topic_id] = groups.get(topic_id, frozenset()) | shingles(text)
    return groups


MANIFEST_NAME = "manifest.json"


class JudgingManifest(Value):
    """One judge and what it judged.

    Attributes:
        judge: Its registered name.
        version: Labels of two versions are not comparable.
        kind: Whether a model was prompted.
        n_topics: Rubrics judged against.
        example_run_tags: Runs whose labels the judge learned from.
        runs: The runs judged, by the name of the task; with each the largest share, over
            topics, of its five-word sequences that also occur in the examples of the topic. Near
            1 means a near copy of an example.
        over_limits: By task, run tag and topic id, in what a submission was over the limits of the
            task; only what fits them was judged.
        instrument: What a prompted judge asks, and whom; None where no model is asked.
        agreement: With people, on topics held out (`questions`, `answers`).
        n_unjudged: Verdicts that could not be had, by task.
    """

    judge: str
    version: str
    kind: JudgeKind
    runs: dict[str, dict[str, float]]
    n_topics: int
    example_run_tags: tuple[str, ...]
    over_limits: dict[str, dict[str, dict[str, str]]] = Field(default_factory=dict)
    instrument: Instrument | None = None
    agreement: dict[str, JudgeAgreement]
    n_unjudged: dict[str, int]

    @property
    def label(self) -> str:
        """Return the judge as score tables name it."""
        return f"{self.judge} {self.version}, {self.kind}"


def read_manifest_beside(assessments: Path) -> JudgingManifest | None:
    """Return the manifest in the folder of an assessment file; None when there is none.

    Raises:
        InputError: There is one, but it is not a judging manifest.
    """
    path = assessments.parent / MANIFEST_NAME
    if not path.is_file():
        return None
    try:
        return JudgingManifest.model_validate_json(read_bytes(path), strict=True)
    except ValidationError as error:
        raise InputError(
            f"{path}: expected the manifest of a judge; {error.error_count()} fields are wrong",
            remedy="Move it away if the assessments were not made by `sidelight judge`.",
        ) from error


def write_manifest(folder: Path, manifest: JudgingManifest) -> None:
    """Write `manifest.json`, what it already says about the other task included.

    Raises:
        InputError: The folder holds assessments of another judge or version.
    """
    path = folder / MANIFEST_NAME
    earlier = read_manifest_beside(path)
    if earlier is not None:
        if earlier.label != manifest.label:
            raise InputError(
                f"{folder} holds assessments by {earlier.label}; "
                f"those by {manifest.label} must not be mixed with them",
                remedy="Choose another output folder.",
            )
        manifest = manifest.model_copy(
            update={
                "runs": earlier.runs | manifest.runs,
                "over_limits": earlier.over_limits | manifest.over_limits,
                "example_run_tags": tuple(
                    sorted({*earlier.example_run_tags, *manifest.example_run_tags})
                ),
                "agreement": earlier.agreement | manifest.agreement,
                "n_unjudged": earlier.n_unjudged | manifest.n_unjudged,
            }
        )
    atomic_write(path, manifest.model_dump_json(indent=2) + "\n")


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
    if REPORT_ANSWERS in given.kind.protocols:
        judge.prepare(case.submission for _, case in cases)
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
