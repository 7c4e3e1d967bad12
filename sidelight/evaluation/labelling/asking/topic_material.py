"""What prompts of a topic are made of: its article, its rubric and labelled examples."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.labelling.question_similarity.protocol import QUESTION_SIMILARITY
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.schemas.article import Article
    from sidelight.schemas.grading.rubric import Rubric


class ExampleQuestion(NamedTuple):
    """A submitted question.

    Attributes:
        text: The question, on one line.
        labels: By rank, how like the questions of the rubric it is. The track asked people about
            the most likely pairs only and took the others for very different, so do prompts.
    """

    text: str
    labels: Mapping[int, str]


class ExampleReport(NamedTuple):
    """A submitted report and its label for every answer of the rubric, by answer id."""

    text: str
    labels: Mapping[str, str]


class TopicMaterial(NamedTuple):
    """What a model is shown before it comes to what it judges.

    Attributes:
        article: The target article.
        rubric: What people wanted to know about it.
        questions: Of all example runs, by run tag and rank.
        reports: Of all example runs, by run tag.
    """

    article: Article
    rubric: Rubric
    questions: tuple[ExampleQuestion, ...]
    reports: tuple[ExampleReport, ...]


def topic_material(article: Article, rubric: Rubric, examples: Examples | None) -> TopicMaterial:
    """Put together what prompts of a topic show."""
    if examples is None:
        return TopicMaterial(article, rubric, (), ())
    return TopicMaterial(article, rubric, _questions(examples, rubric), _reports(examples, rubric))


def _questions(examples: Examples, rubric: Rubric) -> tuple[ExampleQuestion, ...]:
    lowest = QUESTION_SIMILARITY.scale.lowest
    ranks = [question.rank for question in rubric.questions]
    labels = {
        (item.run_tag, item.run_question_rank, item.rubric_question_rank): item.label
        for item in examples.question_labels
        if item.topic_id == rubric.topic_id and not isinstance(item.label, Unjudged)
    }
    return tuple(
        ExampleQuestion(
            one_line(question.text),
            {rank: labels.get((run_tag, number, rank), lowest) for rank in ranks},
        )
        for (run_tag, topic_id, number), question in sorted(
            examples.questions.items(), key=itemgetter(0)
        )
        if topic_id == rubric.topic_id
    )


def _reports(examples: Examples, rubric: Rubric) -> tuple[ExampleReport, ...]:
    lowest = REPORT_ANSWERS.scale.lowest
    answer_ids = [answer.answer_id for answer in rubric.answers]
    labels = {
        (item.run_tag, item.answer_id): item.label
        for item in examples.answer_labels
        if item.topic_id == rubric.topic_id and not isinstance(item.label, Unjudged)
    }
    return tuple(
        ExampleReport(report.text, {one: labels.get((run_tag, one), lowest) for one in answer_ids})
        for (run_tag, topic_id), report in sorted(examples.reports.items(), key=itemgetter(0))
        if topic_id == rubric.topic_id
    )
