"""Judging of runs: label files, the manifest that says who gave the labels, and a check for copies.

The manifest lies beside the assessments as `manifest.json`. The check for copies tells how close
runs are to the examples that a judge was shown.

Grading of whole runs one by one: their questions, or the documents that they rank.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from sidelight.checks.usefulness import Document
from sidelight.errors import InputError
from sidelight.evaluation.labelling import run_kinds
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import (
    AssessmentProtocol,
    Instrument,
    Judge,
    JudgeAgreement,
    JudgeKind,
    Judgment,
    title_of_judge,
)
from sidelight.evaluation.labelling.question_quality import (
    QUESTION_QUALITY,
    QUESTION_REDUNDANCY,
    QuestionListCase,
)
from sidelight.evaluation.labelling.relevance import USEFULNESS, UsefulnessCase
from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS
from sidelight.files import atomic_write
from sidelight.formats.labels.assessments import read_assessments, write_assessments
from sidelight.formats.lines import read_bytes
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import QuestionGrade, Unjudged
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import QuestionRun
from sidelight.schemas.topic import Article
from sidelight.text import first_of, shingles

_Sequences = frozenset[tuple[str, ...]]


def overlaps(given: run_kinds.TaskRuns, examples: Examples | None) -> dict[str, float]:
    """Return run tag -> how near a run comes to a copy of the examples, on its nearest topic.

    It is the largest share, over topics, of a run's five-word sequences that also occur in the
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
        version: Labels of two versions are not comparable.
        n_topics: Rubrics judged against, the last time.
        rubrics: By topic id, the SHA-256 of the rubric that labels were given by.
        example_run_tags: Runs whose labels the judge learned from.
        runs: The runs judged, by the name of the task; with each the largest share, over
            topics, of its five-word sequences that also occur in the examples of the topic. Near
            1 means a near copy of an example.
        hashes: By task and run tag, the SHA-256 of the file of a run.
        left_out: By task and run tag, on which topics a run was not judged, and why.
        over_limits: By task, run tag and topic id, in what a submission was over the limits of the
            task; only what fits them was judged.
        instrument: What a prompted judge asks, and whom; None where no model is asked.
        agreement: With people, on topics held out (`questions`, `answers`).
        n_unjudged: Verdicts that could not be had, by task.
        titles: By task, the judge as tables of its labels name it.
    """

    judge: str
    version: str
    kind: JudgeKind
    runs: dict[str, dict[str, float]]
    n_topics: int
    rubrics: dict[str, str] = Field(default_factory=dict)
    example_run_tags: tuple[str, ...]
    hashes: dict[str, dict[str, str]] = Field(default_factory=dict)
    left_out: dict[str, dict[str, str]] = Field(default_factory=dict)
    over_limits: dict[str, dict[str, dict[str, str]]] = Field(default_factory=dict)
    instrument: Instrument | None = None
    agreement: dict[str, JudgeAgreement]
    n_unjudged: dict[str, int]
    titles: dict[str, str] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the judge by all that its labels depend on; two of them are never mixed."""
        return title_of_judge(self.judge, self.version, self.kind)

    def title_of(self, task: str) -> str:
        """Return the judge as tables of a task's labels name it."""
        return self.titles.get(task, self.label)

    @property
    def title(self) -> str:
        """Return the judge as pages name it: by task, where its labels are by several rules."""
        titles = {*self.titles.values()} or {self.label}
        by_task = (f"{task}: {title}" for task, title in sorted(self.titles.items()))
        return "; ".join(by_task) if len(titles) > 1 else titles.pop()

    def with_other_rubric(self, rubrics: Mapping[str, Rubric]) -> list[str]:
        """Return the topics whose labels were given by another rubric than the one here."""
        now = {topic_id: rubric.fingerprint() for topic_id, rubric in rubrics.items()}
        return [name for name, one in now.items() if self.rubrics.get(name, one) != one]


def read_manifest_beside(assessments: Path) -> JudgingManifest | None:
    """Return the manifest in the folder of an assessment file; None when there is none."""
    path = assessments.parent / MANIFEST_NAME
    if not path.is_file():
        return None
    try:
        return JudgingManifest.model_validate_json(read_bytes(path), strict=True)
    except ValidationError as error:
        raise InputError(
            f"{path}: expected the manifest of a judge; {error.error_count()} fields are wrong",
            remedy="Keep labels that `sidelight judge` did not make in a folder without this file.",
        ) from error


_Found = dict[AssessmentProtocol[Any, Any], list[Any]]


def _read_earlier(
    folder: Path, judge: Judge, kind: run_kinds.RunKind[Any, Any]
) -> tuple[JudgingManifest | None, _Found]:
    """Return the manifest of a folder, and its labels of runs of one kind, as far as it has any."""
    earlier = read_manifest_beside(folder / MANIFEST_NAME)
    files = {protocol: folder / protocol.file_name for protocol in kind.protocols}
    files = {protocol: path for protocol, path in files.items() if path.exists()}
    if (earlier or files) and (earlier is None or earlier.label != judge.title):
        by = earlier.label if earlier else f"a judge that no {MANIFEST_NAME} beside them names"
        raise InputError(
            f"{folder} holds assessments by {by}; those by {judge.title} must not be mixed with "
            "them",
            remedy="Choose another output folder.",
        )
    return earlier, {
        protocol: read_assessments(path, protocol.kind, {protocol.kind.scale: protocol.scale})
        for protocol, path in files.items()
    }


async def assess_runs(
    judge: Judge, given: run_kinds.TaskRuns, on_labels: run_kinds.OnLabels = run_kinds.ignore
) -> dict[AssessmentProtocol[Any, Any], list[Any]]:
    """Judge the runs of a task on the topics that have rubrics.

    The judge is given one topic after the other, all runs of each. Returns the assessments by
    protocol, each in its order.
    """
    checked = run_kinds.checked_cases(judge, given)
    cases = [(run_tag, case) for (_, run_tag), case in checked.items()]
    if REPORT_ANSWERS in given.kind.protocols:
        judge.prepare(case.submission for _, case in cases)
    return {
        protocol: await run_kinds.assess(judge, protocol, cases, on_labels)
        for protocol in given.kind.protocols
    }


async def judge_runs(
    judge: Judge,
    given: run_kinds.TaskRuns,
    folder: Path,
    on_labels: run_kinds.OnLabels = run_kinds.ignore,
) -> JudgingManifest:
    """Judge the runs of a task, and write the labels and the manifest; see `assess_runs`.

    Labels that the same judge gave other runs stay in the folder, and so does what the manifest
    says of these; those of a run that is judged again are replaced. Returns what the manifest says
    of the runs judged now.
    """
    earlier, labels = _read_earlier(folder, judge, given.kind)
    task, judged = given.task.name, {run.run_tag for run in given.runs}
    if earlier and (other := earlier.with_other_rubric(given.rubrics)):
        raise InputError(
            f"{folder} holds labels by other rubrics of {first_of(other)}; they must not be mixed",
            remedy="Choose another output folder, or delete this one.",
        )
    found = await assess_runs(judge, given, on_labels)
    manifest = JudgingManifest(
        judge=judge.name,
        version=judge.version,
        kind=judge.kind,
        runs={task: overlaps(given, judge.examples)},
        hashes={task: dict(sorted(given.hashes.items()))},
        left_out={task: given.left_out()},
        over_limits={task: given.over_limits()},
        n_topics=len(given.rubrics),
        rubrics={name: rubric.fingerprint() for name, rubric in given.rubrics.items()},
        example_run_tags=tuple(sorted(judge.example_run_tags)),
        instrument=judge.instrument,
        agreement=dict(judge.agreement),
        n_unjudged={task: _count_unjudged(found)},
        titles={task: judge.title},
    )
    for protocol, assessments in found.items():
        kept = (one for one in labels.get(protocol, ()) if one.run_tag not in judged)
        labels[protocol] = sorted([*assessments, *kept], key=protocol.order)
    written = _merged(earlier, manifest, _count_unjudged(labels)) if earlier else manifest
    atomic_write(folder / MANIFEST_NAME, written.model_dump_json(indent=2) + "\n")
    for protocol, assessments in labels.items():
        write_assessments(folder / protocol.file_name, protocol.kind, assessments)
    return manifest


def _merged(earlier: JudgingManifest, now: JudgingManifest, n_unjudged: int) -> JudgingManifest:
    """Return the manifest of a folder in which some runs of a task were judged now."""
    ((task, judged),) = now.runs.items()
    by_run = {}
    for name in ("runs", "hashes", "left_out", "over_limits"):
        before = getattr(earlier, name)
        stays = {tag: one for tag, one in before.get(task, {}).items() if tag not in judged}
        by_run[name] = before | {task: stays | getattr(now, name)[task]}
    examples = sorted({*earlier.example_run_tags, *now.example_run_tags})
    more = {
        "rubrics": earlier.rubrics | now.rubrics,
        "example_run_tags": tuple(examples),
        "agreement": earlier.agreement | now.agreement,
        "n_unjudged": earlier.n_unjudged | {task: n_unjudged},
        "titles": earlier.titles | now.titles,
    }
    return now.model_copy(update=by_run | more)


def _count_unjudged(found: _Found) -> int:
    labels = chain.from_iterable(found.values())
    return sum(isinstance(one.label, Unjudged) for one in labels)


_RUNS_AT_ONCE = 64


async def grade_question_runs(
    judge: Judge,
    runs: Sequence[QuestionRun],
    articles: Mapping[str, Article],
    on_questions: Callable[[int], None] = lambda _: None,
) -> list[QuestionGrade]:
    """Grade all questions of some runs; by topic, then run, then rank.

    A judge that says nothing of redundancy leaves it open.
    """
    lists = [
        (topic_id, run.run_tag, questions)
        for run in runs
        for topic_id, questions in run.results().items()
    ]
    if lacking := sorted({topic_id for topic_id, _, _ in lists} - articles.keys()):
        raise InputError(
            f"expected the articles of all questions; that of {lacking[0]} is not there",
            remedy="Give the topics file that the runs were made for.",
        )

    async def graded(topic_id: str, run_tag: str, questions: Sequence[str]) -> list[QuestionGrade]:
        case = QuestionListCase(articles[topic_id], questions)
        grades = await judge.label(QUESTION_QUALITY, case)
        flags = [Judgment(Unjudged(reason="nobody was asked"))] * len(questions)
        if QUESTION_REDUNDANCY in judge.labellers:
            flags = await judge.label(QUESTION_REDUNDANCY, case)
        return [
            QuestionGrade(
                topic_id=topic_id,
                run_tag=run_tag,
                run_question_rank=rank,
                run_question_text=question,
                label=grade.label,
                redundant=None
                if isinstance(flag.label, Unjudged)
                else flag.label == QUESTION_REDUNDANCY.scale.highest,
                rationale=grade.rationale,
            )
            for rank, (question, grade, flag) in enumerate(
                zip(questions, grades, flags, strict=True), start=1
            )
        ]

    work = (partial(graded, *one) for one in sorted(lists))
    return await run_kinds.gather_labels(work, on_questions, _RUNS_AT_ONCE)


class AskedDocuments(NamedTuple):
    """Documents found for a question.

    Attributes:
        article: Title and text of what was read.
        documents: By id.
    """

    question_id: str
    article: str
    question: str
    documents: Mapping[str, Document]


async def grade_documents(
    judge: Judge,
    asked: Iterable[AskedDocuments],
    on_documents: Callable[[int], None] = lambda _: None,
) -> dict[str, dict[str, int]]:
    """Return grades of usefulness by question and document; what nobody could judge has none."""
    slots = asyncio.Semaphore(_RUNS_AT_ONCE)

    async def graded(one: AskedDocuments) -> dict[str, int]:
        async with slots:
            case = UsefulnessCase(one.article, one.question, list(one.documents.values()))
            judgments = await judge.label(USEFULNESS, case)
        on_documents(len(one.documents))
        return {
            name: int(judgment.label)
            for name, judgment in zip(one.documents, judgments, strict=True)
            if not isinstance(judgment.label, Unjudged)
        }

    questions = list(asked)
    found = await asyncio.gather(*map(graded, questions))
    return {one.question_id: grades for one, grades in zip(questions, found, strict=True)}
