"""Grading of whole runs one by one: their questions, or the documents that they rank."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError
from sidelight.evaluation.labelling.question_quality import (
    QUESTION_QUALITY,
    QUESTION_REDUNDANCY,
    QuestionListCase,
)
from sidelight.evaluation.labelling.usefulness import USEFULNESS, UsefulnessCase
from sidelight.schemas.grading.judgment import QuestionGrade, Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sidelight.checks.usefulness import Document
    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.labelling.protocol import Judgment
    from sidelight.schemas.run import QuestionRun
    from sidelight.schemas.topic import Article

_RUNS_AT_ONCE = 64


async def grade_question_runs(
    judge: Judge,
    runs: Sequence[QuestionRun],
    articles: Mapping[str, Article],
    on_questions: Callable[[int], None] = lambda _: None,
) -> list[QuestionGrade]:
    """Grade all questions of some runs; by topic, then run, then rank.

    A judge that says nothing of redundancy leaves it open.

    Raises:
        InputError: A run has questions on an article that is not there.
        UsageError: The judge does not grade questions.
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
    slots = asyncio.Semaphore(_RUNS_AT_ONCE)

    async def graded(topic_id: str, run_tag: str, questions: Sequence[str]) -> list[QuestionGrade]:
        case = QuestionListCase(articles[topic_id], questions)
        async with slots:
            grades = await judge.label(QUESTION_QUALITY, case)
            flags: Sequence[Judgment | None] = [None] * len(questions)
            if QUESTION_REDUNDANCY in judge.labellers:
                flags = await judge.label(QUESTION_REDUNDANCY, case)
        on_questions(len(questions))
        return [
            QuestionGrade(
                topic_id=topic_id,
                run_tag=run_tag,
                run_question_rank=rank,
                run_question_text=question,
                label=grade.label,
                redundant=_flag(flag),
                rationale=grade.rationale,
            )
            for rank, (question, grade, flag) in enumerate(
                zip(questions, grades, flags, strict=True), start=1
            )
        ]

    found = await asyncio.gather(*(graded(*one) for one in sorted(lists)))
    return [grade for grades in found for grade in grades]


def _flag(judgment: Judgment | None) -> bool | None:
    if judgment is None or isinstance(judgment.label, Unjudged):
        return None
    return judgment.label == QUESTION_REDUNDANCY.scale.highest


class AskedDocuments(NamedTuple):
    """Documents found for a question.

    Attributes:
        question_id: Its id.
        article: Title and text of what was read.
        question: What a reader wants to know.
        documents: By id.
    """

    question_id: str
    article: str
    question: str
    documents: Mapping[str, Document]


class GradedDocuments(NamedTuple):
    """Grades of documents.

    Attributes:
        grades: Question id -> document id -> grade.
        unjudged: How many documents have none.
    """

    grades: dict[str, dict[str, int]]
    unjudged: int


async def grade_documents(
    judge: Judge,
    asked: Iterable[AskedDocuments],
    on_documents: Callable[[int], None] = lambda _: None,
) -> GradedDocuments:
    """Grade documents by their usefulness; one that nobody could judge gets no grade.

    Raises:
        UsageError: The judge does not label usefulness.
    """
    slots = asyncio.Semaphore(_RUNS_AT_ONCE)

    async def graded(one: AskedDocuments) -> dict[str, int | None]:
        async with slots:
            case = UsefulnessCase(one.article, one.question, list(one.documents.values()))
            judgments = await judge.label(USEFULNESS, case)
        on_documents(len(one.documents))
        return {
            name: None if isinstance(judgment.label, Unjudged) else int(judgment.label)
            for name, judgment in zip(one.documents, judgments, strict=True)
        }

    questions = list(asked)
    found = await asyncio.gather(*map(graded, questions))
    grades = {
        one.question_id: {name: grade for name, grade in labels.items() if grade is not None}
        for one, labels in zip(questions, found, strict=True)
    }
    unjudged = sum(grade is None for labels in found for grade in labels.values())
    return GradedDocuments(grades, unjudged)
