"""Run kinds: what the runs of a task hold and which protocols label them.

A judge sees only the part of a submission that fits the limits of its task; otherwise a longer text
could earn by its length.

Assessment of cases by a judge: every pair or answer exactly once, in a fixed order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import A, AssessmentProtocol, Judge, RubricCase
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)
from sidelight.files import sha256_file
from sidelight.formats.runs.submission import check_own_tags
from sidelight.formats.verdict import files_of_task, read_runs
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import (
    CitedSentence,
    QuestionRun,
    ReportRun,
    SubmittedQuestion,
    SubmittedReport,
)
from sidelight.schemas.task import CitedTextTask, QuestionListTask, Task
from sidelight.text import count_words, first_of, normalized

S = TypeVar("S")


class Fitting(NamedTuple, Generic[S]):
    """What of a submission is within its limits, and what was over them; "" where nothing was."""

    submission: S
    over: str = ""


def fit_questions(
    questions: Sequence[SubmittedQuestion], task: QuestionListTask
) -> Fitting[Sequence[SubmittedQuestion]]:
    """Leave out questions past the last rank, and the end of those with too many characters.

    Characters are code points of the NFC text.
    """
    kept, over = [], []
    for question in questions:
        if question.rank > task.count:
            over.append(f"question {question.rank} of {task.count}")
            continue
        text = normalized("NFC", question.text)
        if len(text) > task.max_characters:
            over.append(f"question {question.rank} has {len(text)} characters")
            text = text[: task.max_characters]
            kept.append(question.model_copy(update={"text": text}))
        else:
            kept.append(question)
    if not over:
        return Fitting(questions)
    limits = f"at most {task.count} questions of {task.max_characters} characters"
    return Fitting(tuple(kept), f"{', '.join(over)}; {limits}")


def fit_report(report: SubmittedReport, task: CitedTextTask) -> Fitting[SubmittedReport]:
    """Cut a report after its last word within the limit, words being split on white space."""
    kept: list[CitedSentence] = []
    left = task.max_words
    for sentence in report.responses:
        n_words = count_words(sentence.text)
        if n_words > left:
            if left:
                words = sentence.text.split()[:left]
                kept.append(sentence.model_copy(update={"text": " ".join(words)}))
            break
        kept.append(sentence)
        left -= n_words
    else:
        return Fitting(report)
    n_words = sum(count_words(sentence.text) for sentence in report.responses)
    return Fitting(
        report.model_copy(update={"responses": tuple(kept)}),
        f"{n_words} words; at most {task.max_words}",
    )


R = TypeVar("R", QuestionRun, ReportRun)
Run: TypeAlias = QuestionRun | ReportRun


@dataclass(frozen=True, eq=False)
class RunKind(Generic[R, S]):
    """Runs of one kind of task.

    Attributes:
        protocols: What is labelled, in the order in which it is.
        submissions: Returns what a run submitted on each topic, by topic id.
        fit: Returns what of it counts by the limits of a task, and what was over them.
        texts: Returns topic id and text of everything a run submitted.
        example_texts: Returns the same of labelled examples.
    """

    protocols: tuple[AssessmentProtocol[S, Any], ...]
    submissions: Callable[[R], Mapping[str, S]]
    fit: Callable[[S, Any], Fitting[S]]
    texts: Callable[[R], Iterable[tuple[str, str]]]
    example_texts: Callable[[Examples], Iterable[tuple[str, str]]]


class TaskRuns(NamedTuple):
    """Runs of a task, and the rubrics that they are judged by.

    Attributes:
        rubrics: Topic id -> rubric; other topics are not judged.
        runs: The runs, each with a tag of its own.
        hashes: Run tag -> SHA-256 of its file, of runs that were read from files.
    """

    task: QuestionListTask | CitedTextTask
    rubrics: Mapping[str, Rubric]
    runs: Sequence[Run]
    hashes: Mapping[str, str] = MappingProxyType({})

    @property
    def kind(self) -> RunKind[Any, Any]:
        """What is judged about such runs."""
        return _RUN_KINDS[self.task.kind]

    @property
    def n_labels(self) -> int:
        """Number of labels that the runs get."""
        cases = self.cases().values()
        return sum(len(protocol.units(case)) for protocol in self.kind.protocols for case in cases)

    def cases(self) -> dict[tuple[str, str], RubricCase[Any]]:
        """Return (topic id, run tag) -> case, sorted, of the topics that have rubrics.

        Only what fits the limits of the task is in a case.
        """
        check_own_tags(self.runs)
        found = {
            (topic_id, run_tag): RubricCase(self.rubrics[topic_id], submission)
            for (topic_id, run_tag), (submission, _) in self._fitting().items()
        }
        if not found:
            raise InputError(
                "no run holds anything on a topic that has a rubric",
                remedy="Give the rubrics of the topics that the runs are about.",
            )
        return dict(sorted(found.items(), key=itemgetter(0)))

    def over_limits(self) -> dict[str, dict[str, str]]:
        """Return run tag -> topic id -> what was over the task's limits, and does not count."""
        found: dict[str, dict[str, str]] = {}
        for (topic_id, run_tag), (_, over) in sorted(self._fitting().items(), key=itemgetter(0)):
            if over:
                found.setdefault(run_tag, {})[topic_id] = over
        return found

    def left_out(self) -> dict[str, str]:
        """Return run tag -> topics on which the run is not judged, if there are any, and why."""
        found: dict[str, str] = {}
        for run in self.runs:
            topics = self.kind.submissions(run).keys()
            unknown, missing = sorted(topics - self.rubrics.keys()), self.rubrics.keys() - topics
            told = [f"no rubric for {first_of(unknown)}, not judged"] if unknown else []
            told += [f"nothing submitted on {first_of(sorted(missing))}"] if missing else []
            if told:
                found[run.run_tag] = "; ".join(told)
        return found

    def _fitting(self) -> dict[tuple[str, str], Fitting[Any]]:
        return {
            (topic_id, run.run_tag): self.kind.fit(submission, self.task)
            for run in self.runs
            for topic_id, submission in self.kind.submissions(run).items()
            if topic_id in self.rubrics
        }


def read_task_runs(task: Task, paths: Iterable[Path], rubrics: Mapping[str, Rubric]) -> TaskRuns:
    """Read the runs of a task; see `TaskRuns`."""
    if not isinstance(task, QuestionListTask | CitedTextTask):
        raise UsageError(f"{task.title}: no judge labels such files")
    files = files_of_task(paths, task)
    runs = read_runs(files, task)
    hashes = {run.run_tag: sha256_file(path) for run, path in zip(runs, files, strict=True)}
    return TaskRuns(task, rubrics, runs, hashes)


def _questions(run: QuestionRun) -> dict[str, Sequence[SubmittedQuestion]]:
    """Return a run's questions by topic and rank."""
    by_topic: dict[str, dict[int, SubmittedQuestion]] = {}
    for question in sorted(run.questions, key=lambda question: question.rank):
        asked = by_topic.setdefault(question.topic_id, {})
        if question.rank in asked:
            raise InputError(
                f"run {run.run_tag} has two questions of rank {question.rank} for topic "
                f"{question.topic_id}",
                remedy="Assessments refer to a question by its rank; run `sidelight validate`.",
            )
        asked[question.rank] = question
    return {topic_id: tuple(asked.values()) for topic_id, asked in by_topic.items()}


def _reports(run: ReportRun) -> dict[str, SubmittedReport]:
    reports: dict[str, SubmittedReport] = {}
    for report in run.reports:
        topic_id = report.metadata.topic_id
        if topic_id in reports:
            raise InputError(f"run {run.run_tag} has two reports for topic {topic_id}")
        reports[topic_id] = report
    return reports


QUESTION_RUNS = RunKind[QuestionRun, "Sequence[SubmittedQuestion]"](
    protocols=(COMPOUND_QUESTIONS, QUESTION_SIMILARITY),
    submissions=_questions,
    fit=fit_questions,
    texts=lambda run: ((question.topic_id, question.text) for question in run.questions),
    example_texts=lambda examples: (
        (topic_id, question.text) for (_, topic_id, _), question in examples.questions.items()
    ),
)
REPORT_RUNS = RunKind[ReportRun, SubmittedReport](
    protocols=(REPORT_ANSWERS,),
    submissions=_reports,
    fit=fit_report,
    texts=lambda run: ((report.metadata.topic_id, report.text) for report in run.reports),
    example_texts=lambda examples: (
        (topic_id, report.text) for (_, topic_id), report in examples.reports.items()
    ),
)
_RUN_KINDS: dict[str, RunKind[Any, Any]] = {
    "question_list": QUESTION_RUNS,
    "cited_text": REPORT_RUNS,
}


# Topics of runs judged at once. A judge that asks a model may make eighty calls for each, which all
# take memory while they wait.
_CASES_AT_ONCE = 256

L = TypeVar("L")
OnLabels: TypeAlias = "Callable[[int], None]"


def ignore(_: int) -> None:
    """Do nothing, for those who need not know how far it is."""


async def assess(
    judge: Judge,
    protocol: AssessmentProtocol[S, A],
    cases: Iterable[tuple[str, RubricCase[S]]],
    on_labels: OnLabels = ignore,
) -> list[A]:
    """Label cases.

    The judge is given one after the other, so what it reads about a topic may be reused by the next
    run if the cases come topic by topic. Returns the assessments in the protocol's order.
    `on_labels` is told how many labels have been added, whenever some have.
    """

    async def assessed(run_tag: str, case: RubricCase[S]) -> list[A]:
        return protocol.record(run_tag, case, await judge.label(protocol, case))

    work = (partial(assessed, run_tag, case) for run_tag, case in cases)
    return sorted(await gather_labels(work, on_labels), key=protocol.order)


async def gather_labels(
    work: Iterable[Callable[[], Awaitable[list[L]]]],
    on_labels: OnLabels,
    at_once: int = _CASES_AT_ONCE,
) -> list[L]:
    """Do pieces of judging, as many at once as memory allows, and return their labels in order."""
    slots = asyncio.Semaphore(at_once)

    async def counted(part: Callable[[], Awaitable[list[L]]]) -> list[L]:
        async with slots:
            labels = await part()
        on_labels(len(labels))
        return labels

    return list(chain.from_iterable(await asyncio.gather(*map(counted, work))))


def checked_cases(judge: Judge, given: TaskRuns) -> dict[tuple[str, str], RubricCase[Any]]:
    """Return the cases of runs after checking that the judge may judge them; see `TaskRuns`."""
    seen = sorted({run.run_tag for run in given.runs} & judge.example_run_tags)
    if seen:
        raise UsageError(
            f"the judge has seen labels of {', '.join(seen)} and cannot judge them",
            remedy="Leave these runs out, or take other runs as examples with --example-run.",
        )
    return given.cases()
