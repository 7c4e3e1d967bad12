"""Runs, rubrics and a judge to assessments: every pair or answer exactly once, in a fixed order."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.manifest import JudgingManifest, write_manifest
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    write_assessments,
)
from sidelight.schemas.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.text import shingles

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.labelling.base import Judge
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import QuestionRun, ReportRun, SubmittedQuestion, SubmittedReport

QUESTION_FILE = "auto_question_assessments.csv"
COMPOUND_FILE = "auto_compound_question_check.csv"
REPORT_FILE = "auto_report_assessments.csv"

# Topics of runs judged at once. A judge that asks a model may make eighty calls for each, which all
# take memory while they wait.
_AT_ONCE = 256

A = TypeVar("A")
OnLabels: TypeAlias = "Callable[[int], None]"


def ignore(_: int) -> None:
    """Do nothing, for those who need not know how far it is."""


def count_question_labels(rubrics: Mapping[str, Rubric], runs: Iterable[QuestionRun]) -> int:
    """Return how many labels and compound verdicts Task 1 runs get."""
    return sum(
        len(rubrics[question.topic_id].questions) + 1
        for run in runs
        for question in run.questions
        if question.topic_id in rubrics
    )


def count_answer_labels(rubrics: Mapping[str, Rubric], runs: Iterable[ReportRun]) -> int:
    """Return how many labels Task 2 runs get."""
    return sum(
        len(question.answers)
        for run in runs
        for report in run.reports
        if report.metadata.topic_id in rubrics
        for question in rubrics[report.metadata.topic_id].questions
    )


async def assess_question_runs(
    judge: Judge,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[QuestionRun],
    on_labels: OnLabels = ignore,
) -> tuple[list[QuestionAssessment], list[CompoundAssessment]]:
    """Judge Task 1 runs on the topics that have rubrics.

    The judge is given one topic after the other, all runs of each, since what it reads about a
    topic may be reused.

    Args:
        judge: Who judges.
        rubrics: Topic id -> rubric.
        runs: What is judged.
        on_labels: Told how many labels have been added, whenever some have.

    Returns:
        Labels of all pairs by topic, rubric question, run, submitted question; and compound
        verdicts by run, topic, submitted question.

    Raises:
        InputError: Two submitted questions of a run share a topic and a rank.
        UsageError: A run is one of the judge's examples, or two runs share a tag.
    """
    check_tags(judge, [run.run_tag for run in runs])
    submitted = {
        (topic_id, run.run_tag): questions_of(run, topic_id)
        for topic_id in sorted(rubrics)
        for run in sorted(runs, key=lambda run: run.run_tag)
    }
    verdicts = await gather_labels(
        (
            partial(judge.assess_compound, tag, questions)
            for (_, tag), questions in submitted.items()
        ),
        on_labels,
    )
    labels = await gather_labels(
        (
            partial(judge.assess_questions, rubrics[topic_id], tag, questions)
            for (topic_id, tag), questions in submitted.items()
        ),
        on_labels,
    )
    pairs = sorted(
        labels,
        key=lambda item: (
            item.topic_id,
            item.rubric_question_rank,
            item.run_tag,
            item.run_question_rank,
        ),
    )
    by_run = sorted(
        verdicts, key=lambda item: (item.run_tag, item.topic_id, item.run_question_rank)
    )
    return pairs, by_run


async def assess_report_runs(
    judge: Judge,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[ReportRun],
    on_labels: OnLabels = ignore,
) -> list[AnswerAssessment]:
    """Judge Task 2 runs on the topics that have rubrics; see `assess_question_runs`.

    Returns:
        One label for every rubric answer and report, by topic, run, and the rubric's order.

    Raises:
        InputError: A run has two reports for a topic.
        UsageError: A run is one of the judge's examples, or two runs share a tag.
    """
    check_tags(judge, [run.run_tag for run in runs])
    reports = reports_of(runs, rubrics)
    return await gather_labels(
        (
            partial(judge.assess_report, rubrics[topic_id], run_tag, report)
            for (topic_id, run_tag), report in reports.items()
        ),
        on_labels,
    )


async def judge_question_runs(
    judge: Judge,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[QuestionRun],
    examples: Examples | None,
    folder: Path,
    on_labels: OnLabels = ignore,
) -> JudgingManifest:
    """Assess Task 1 runs; write the labels, the compound verdicts and the manifest."""
    pairs, verdicts = await assess_question_runs(judge, rubrics, runs, on_labels)
    texts = {
        run.run_tag: _grouped((item.topic_id, item.text) for item in run.questions) for run in runs
    }
    example_texts = _grouped(
        (topic_id, question.text)
        for (_, topic_id, _), question in (examples.questions.items() if examples else ())
    )
    n_unjudged = sum(isinstance(item.label, Unjudged) for item in pairs)
    n_unjudged += sum(isinstance(item.label, Unjudged) for item in verdicts)
    manifest = _manifest(judge, "task1", rubrics, _overlaps(texts, example_texts), n_unjudged)
    write_manifest(folder, manifest)
    write_assessments(folder / QUESTION_FILE, QUESTION_ASSESSMENTS, pairs)
    write_assessments(folder / COMPOUND_FILE, COMPOUND_ASSESSMENTS, verdicts)
    return manifest


async def judge_report_runs(
    judge: Judge,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[ReportRun],
    examples: Examples | None,
    folder: Path,
    on_labels: OnLabels = ignore,
) -> JudgingManifest:
    """Assess Task 2 runs; write the labels and the manifest."""
    answers = await assess_report_runs(judge, rubrics, runs, on_labels)
    texts = {
        run.run_tag: _grouped((item.metadata.topic_id, item.text) for item in run.reports)
        for run in runs
    }
    example_texts = _grouped(
        (topic_id, report.text)
        for (_, topic_id), report in (examples.reports.items() if examples else ())
    )
    n_unjudged = sum(isinstance(item.label, Unjudged) for item in answers)
    manifest = _manifest(judge, "task2", rubrics, _overlaps(texts, example_texts), n_unjudged)
    write_manifest(folder, manifest)
    write_assessments(folder / REPORT_FILE, ANSWER_ASSESSMENTS, answers)
    return manifest


async def gather_labels(
    work: Iterable[Callable[[], Awaitable[list[A]]]], on_labels: OnLabels
) -> list[A]:
    """Do pieces of judging, as many at once as memory allows, and return their labels in order."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def counted(part: Callable[[], Awaitable[list[A]]]) -> list[A]:
        async with slots:
            labels = await part()
        on_labels(len(labels))
        return labels

    return list(chain.from_iterable(await asyncio.gather(*map(counted, work))))


def check_tags(judge: Judge, run_tags: Sequence[str]) -> None:
    """Raise UsageError when a run is one of the judge's examples, or two runs share a tag."""
    seen = sorted(set(run_tags) & judge.example_run_tags)
    if seen:
        raise UsageError(
            f"the judge has seen labels of {', '.join(seen)} and cannot judge them",
            remedy="Leave these runs out, or take other runs as examples with --example-run.",
        )
    repeated = sorted(tag for tag, count in Counter(run_tags).items() if count > 1)
    if repeated:
        raise UsageError(f"the run {repeated[0]} was given twice")


def questions_of(run: QuestionRun, topic_id: str) -> list[SubmittedQuestion]:
    """Return a run's questions on a topic by rank.

    Raises:
        InputError: Two of them share a rank.
    """
    questions = sorted(
        (question for question in run.questions if question.topic_id == topic_id),
        key=lambda question: question.rank,
    )
    for first, second in pairwise(questions):
        if first.rank == second.rank:
            raise InputError(
                f"run {run.run_tag} has two questions of rank {first.rank} for topic {topic_id}",
                remedy="Assessments refer to a question by its rank; run `sidelight validate`.",
            )
    return questions


def reports_of(
    runs: Iterable[ReportRun], rubrics: Mapping[str, Rubric]
) -> dict[tuple[str, str], SubmittedReport]:
    """Return (topic id, run tag) -> report, sorted, of the topics that have rubrics.

    Raises:
        InputError: A run has two reports for a topic.
    """
    reports: dict[tuple[str, str], SubmittedReport] = {}
    for run in runs:
        for report in run.reports:
            key = (report.metadata.topic_id, run.run_tag)
            if key in reports:
                raise InputError(f"run {run.run_tag} has two reports for topic {key[0]}")
            if key[0] in rubrics:
                reports[key] = report
    return dict(sorted(reports.items(), key=lambda item: item[0]))


def _grouped(items: Iterable[tuple[str, str]]) -> dict[str, frozenset[tuple[str, ...]]]:
    """Return the five-word sequences of all texts of a topic, by topic."""
    groups: dict[str, frozenset[tuple[str, ...]]] = {}
    for topic_id, text in items:
        groups[topic_id] = groups.get(topic_id, frozenset()) | shingles(text)
    return groups


def _overlaps(
    runs: Mapping[str, Mapping[str, frozenset[tuple[str, ...]]]],
    examples: Mapping[str, frozenset[tuple[str, ...]]],
) -> dict[str, float]:
    """Return how near each run comes to a copy of the examples, on its nearest topic."""
    return {
        run_tag: max(
            (
                len(sequences & examples.get(topic_id, frozenset())) / len(sequences)
                for topic_id, sequences in topics.items()
                if sequences
            ),
            default=0.0,
        )
        for run_tag, topics in sorted(runs.items())
    }


def _manifest(
    judge: Judge,
    task: str,
    rubrics: Mapping[str, Rubric],
    overlaps: dict[str, float],
    n_unjudged: int,
) -> JudgingManifest:
    return JudgingManifest(
        judge=judge.name,
        version=judge.version,
        kind=judge.kind,
        runs={task: overlaps},
        n_topics=len(rubrics),
        example_run_tags=tuple(sorted(judge.example_run_tags)),
        instrument=judge.instrument,
        agreement=dict(judge.agreement),
        n_unjudged={task: n_unjudged},
    )
