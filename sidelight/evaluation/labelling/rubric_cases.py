"""Cases and protocols of a rubric: question similarity, report answers, and their prompt material.

Question similarity labels every pair of a rubric question and a submitted one; report answers
labels each answer that the rubric expects. Prompts of a topic show its article, its rubric and
labelled examples.

Compound questions: the label for whether a submitted question asks more than one thing.

A labeller goes by the question's form or asks a model, with the prompt with which a writer of
questions checks its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import product
from operator import attrgetter, itemgetter
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from sidelight.checks.questions import COMPOUND_PROMPT, CompoundVerdict, compound_reason
from sidelight.evaluation.labelling.asking import NOTHING, Assessor
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import AssessmentProtocol, Judgment, RubricCase
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
)
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedQuestion, SubmittedReport
from sidelight.schemas.topic import Article
from sidelight.text import one_line
from sidelight.tracks import load_track

K = TypeVar("K", int, str)
Questions: TypeAlias = Sequence[SubmittedQuestion]
"""What a run asks on one topic, by rank."""


def _pairs(case: RubricCase[Questions]) -> list[tuple[int, int]]:
    """Return the ranks of every pair, by rubric question, then submitted question."""
    pairs = product(case.rubric.questions, case.submission)
    return [(wanted.rank, submitted.rank) for wanted, submitted in pairs]


QUESTION_SIMILARITY = AssessmentProtocol[Questions, QuestionAssessment](
    name="question similarity",
    scale=load_track().scales[QUESTION_ASSESSMENTS.scale],
    units=lambda case: [f"{wanted}/{submitted}" for wanted, submitted in _pairs(case)],
    kind=QUESTION_ASSESSMENTS,
    about=lambda case: [
        {"rubric_question_rank": wanted, "run_question_rank": submitted}
        for wanted, submitted in _pairs(case)
    ],
    order=attrgetter("topic_id", "rubric_question_rank", "run_tag", "run_question_rank"),
    file_name="auto_question_assessments.csv",
)
"""Labels by rubric question, then submitted question."""


REPORT_ANSWERS = AssessmentProtocol[SubmittedReport, AnswerAssessment](
    name="report answers",
    scale=load_track().scales[ANSWER_ASSESSMENTS.scale],
    units=lambda case: [answer.answer_id for answer in case.rubric.answers],
    kind=ANSWER_ASSESSMENTS,
    about=lambda case: [{"answer_id": answer.answer_id} for answer in case.rubric.answers],
    order=attrgetter("topic_id", "run_tag"),  # the rubric's order within
    file_name="auto_report_assessments.csv",
)
"""Labels by answer, in the rubric's order."""


class Example(NamedTuple, Generic[K]):
    """A submitted text, and its label for each question or answer of the rubric.

    Labels of a question are by rank, how like the questions of the rubric it is; those of a report
    by answer id.
    """

    text: str
    labels: Mapping[K, str]


class TopicMaterial(NamedTuple):
    """Context that a prompt shows before the items to be labelled.

    Attributes:
        questions: Of all example runs, by run tag and rank.
        reports: Of all example runs, by run tag.
    """

    article: Article
    rubric: Rubric
    questions: tuple[Example[int], ...]
    reports: tuple[Example[str], ...]


def topic_material(article: Article, rubric: Rubric, examples: Examples | None) -> TopicMaterial:
    """Put together what prompts of a topic show."""
    if examples is None:
        return TopicMaterial(article, rubric, (), ())
    return TopicMaterial(article, rubric, _questions(examples, rubric), _reports(examples, rubric))


def _questions(examples: Examples, rubric: Rubric) -> tuple[Example[int], ...]:
    # The track asked people about the most likely pairs only and took the others for very
    # different, so do prompts.
    lowest = QUESTION_SIMILARITY.scale.lowest
    ranks = [question.rank for question in rubric.questions]
    labels = {
        (item.run_tag, item.run_question_rank, item.rubric_question_rank): item.label
        for item in examples.question_labels
        if item.topic_id == rubric.topic_id and not isinstance(item.label, Unjudged)
    }
    return tuple(
        Example(
            one_line(question.text),
            {rank: labels.get((run_tag, number, rank), lowest) for rank in ranks},
        )
        for (run_tag, topic_id, number), question in sorted(
            examples.questions.items(), key=itemgetter(0)
        )
        if topic_id == rubric.topic_id
    )


def _reports(examples: Examples, rubric: Rubric) -> tuple[Example[str], ...]:
    lowest = REPORT_ANSWERS.scale.lowest
    answer_ids = [answer.answer_id for answer in rubric.answers]
    labels = {
        (item.run_tag, item.answer_id): item.label
        for item in examples.answer_labels
        if item.topic_id == rubric.topic_id and not isinstance(item.label, Unjudged)
    }
    return tuple(
        Example(report.text, {one: labels.get((run_tag, one), lowest) for one in answer_ids})
        for (run_tag, topic_id), report in sorted(examples.reports.items(), key=itemgetter(0))
        if topic_id == rubric.topic_id
    )


COMPOUND_QUESTIONS = AssessmentProtocol[Questions, CompoundAssessment](
    name="compound questions",
    scale=load_track().scales[COMPOUND_ASSESSMENTS.scale],
    units=lambda case: [str(question.rank) for question in case.submission],
    kind=COMPOUND_ASSESSMENTS,
    about=lambda case: [
        {"run_question_rank": question.rank, "run_question_text": question.text}
        for question in case.submission
    ],
    order=attrgetter("run_tag", "topic_id", "run_question_rank"),
    file_name="auto_compound_question_check.csv",
)
"""Labels by submitted question."""


async def label_by_form(case: RubricCase[Questions]) -> list[Judgment]:
    """Return one judgment for each submitted question, in order."""
    reasons = [compound_reason(question.text) for question in case.submission]
    return [
        Judgment(_COMPOUND_SCALE.highest, reason)
        if reason is not None
        else Judgment(_COMPOUND_SCALE.lowest, "no second question was found")
        for reason in reasons
    ]


_COMPOUND_SCALE = COMPOUND_QUESTIONS.scale


async def ask_whether_compound(assessor: Assessor, case: RubricCase[Questions]) -> list[Judgment]:
    """Return a model's judgment on each submitted question, in order; one call for each."""

    async def judged(question: str) -> Judgment:
        if not one_line(question):
            return Judgment(_COMPOUND_SCALE.lowest, NOTHING)
        return await assessor.judgment(
            (),
            COMPOUND_PROMPT,
            CompoundVerdict,
            lambda answer: Judgment(
                _COMPOUND_SCALE.lowest if answer.verdict == "single" else _COMPOUND_SCALE.highest,
                answer.reason,
            ),
            question=question,
        )

    return await asyncio.gather(*(judged(item.text) for item in case.submission))
