"""What the runs of a task hold and which labels it gets: the link between tasks and protocols."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.compound.protocol import COMPOUND_QUESTIONS
from sidelight.evaluation.labelling.protocol import AssessmentProtocol, RubricCase
from sidelight.evaluation.labelling.question_similarity.protocol import QUESTION_SIMILARITY
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.formats.runs.cited_text import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.schemas.run import QuestionRun, ReportRun, SubmittedQuestion, SubmittedReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.task import Task

R = TypeVar("R", QuestionRun, ReportRun)
S = TypeVar("S")


@dataclass(frozen=True, eq=False)
class RunKind(Generic[R, S]):
    """Runs of one kind of task.

    Attributes:
        protocols: What is labelled, in the order in which it is.
        read: Reads a run.
        submissions: Returns what a run submitted on each topic, by topic id.
        texts: Returns topic id and text of everything a run submitted.
        example_texts: Returns the same of labelled examples.
    """

    protocols: tuple[AssessmentProtocol[S, Any], ...]
    read: Callable[[Path], R]
    submissions: Callable[[R], Mapping[str, S]]
    texts: Callable[[R], Iterable[tuple[str, str]]]
    example_texts: Callable[[Examples], Iterable[tuple[str, str]]]

    def cases(
        self, rubrics: Mapping[str, Rubric], runs: Iterable[R]
    ) -> dict[tuple[str, str], RubricCase[S]]:
        """Return (topic id, run tag) -> case, sorted, of the topics that have rubrics.

        Raises:
            InputError: Two things that a run submitted cannot be told apart.
            UsageError: Two runs share a tag.
        """
        runs = list(runs)
        check_tags_differ(run.run_tag for run in runs)
        found = {
            (topic_id, run.run_tag): RubricCase(rubrics[topic_id], submission)
            for run in runs
            for topic_id, submission in self.submissions(run).items()
            if topic_id in rubrics
        }
        return dict(sorted(found.items(), key=lambda item: item[0]))

    def count_labels(self, rubrics: Mapping[str, Rubric], runs: Iterable[R]) -> int:
        """Return how many labels the runs get."""
        cases = self.cases(rubrics, runs).values()
        return sum(len(protocol.units(case)) for case in cases for protocol in self.protocols)


def check_tags_differ(run_tags: Iterable[str]) -> None:
    """Raise UsageError when two runs share a tag."""
    repeated = sorted(tag for tag, count in Counter(run_tags).items() if count > 1)
    if repeated:
        raise UsageError(f"the run {repeated[0]} was given twice")


def run_kind(task: Task) -> RunKind[Any, Any]:
    """Return what is judged about the runs of a task.

    Raises:
        UsageError: No judge labels such runs.
    """
    if task.kind not in _KINDS:
        raise UsageError(f"{task.title}: no judge labels a {task.kind}")
    return _KINDS[task.kind]


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
    read=read_question_run,
    submissions=_questions,
    texts=lambda run: ((question.topic_id, question.text) for question in run.questions),
    example_texts=lambda examples: (
        (topic_id, question.text) for (_, topic_id, _), question in examples.questions.items()
    ),
)
REPORT_RUNS = RunKind[ReportRun, SubmittedReport](
    protocols=(REPORT_ANSWERS,),
    read=read_report_run,
    submissions=_reports,
    texts=lambda run: ((report.metadata.topic_id, report.text) for report in run.reports),
    example_texts=lambda examples: (
        (topic_id, report.text) for (_, topic_id), report in examples.reports.items()
    ),
)
_KINDS: dict[str, RunKind[Any, Any]] = {
    "question_list": QUESTION_RUNS,
    "cited_text": REPORT_RUNS,
}
