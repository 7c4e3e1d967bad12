"""Marks of a run: the credit earned on each part of a rubric, and where the rest was lost."""

from __future__ import annotations

import re
from math import fsum
from typing import TYPE_CHECKING

from sidelight.evaluation.metrics.rubric import (
    question_coverage,
    report_contradiction,
    report_support,
)
from sidelight.evaluation.scoring.score import compound_questions
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.view.model import AnswerMark, QuestionMark, TopicMarks
from sidelight.view.report import web_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.grading.judgment import AnswerAssessment, Scales
    from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
    from sidelight.view.labels import Labels

# How the embedded judges begin.
_CHANCE = re.compile(r"^as likely as \d(?:\.\d+)?: ")
_MEASUREMENTS = re.compile(r"^[a-z ]{1,60} -?\d+\.\d+(?:,|$)")


class Marker:
    """Marks the topics of one run.

    Args:
        scales: The track's.
        labels: Labels of this run, and perhaps of others.
        question_tag: Run tag of its questions.
        report_tag: Run tag of its reports.

    Raises:
        InputError: A labelled question lacks a verdict whether it is compound.
    """

    def __init__(self, scales: Scales, labels: Labels, question_tag: str, report_tag: str) -> None:
        self._similarity, self._answer = scales["similarity"], scales["answers"]
        flagged = compound_questions(labels.questions, labels.compound, scales)
        self._pairs: dict[str, dict[tuple[int, int], str | Unjudged]] = {}
        for item in labels.questions:
            of_topic = self._pairs.setdefault(item.topic_id, {})
            compound = (item.run_tag, item.topic_id, item.run_question_rank) in flagged
            if item.run_tag == question_tag and not compound:
                of_topic[item.rubric_question_rank, item.run_question_rank] = item.label
        self._answers: dict[str, dict[str, AnswerAssessment]] = {}
        for answer in labels.answers:
            if answer.run_tag == report_tag:
                self._answers.setdefault(answer.topic_id, {})[answer.answer_id] = answer
        self._lost_at = labels.lost_at
        self._asked = any(item.run_tag == question_tag for item in labels.questions)

    def mark(self, rubric: Rubric) -> TopicMarks:
        """Return the marks of a topic."""
        pairs = self._pairs.get(rubric.topic_id, {})
        answers = self._answers.get(rubric.topic_id, {})
        labels = {answer_id: answer.label for answer_id, answer in answers.items()}
        questions = tuple(
            self._mark(rubric, question, answers, pairs) for question in rubric.questions
        )
        lost_at = dict.fromkeys(self._lost_at.values(), 0.0)
        for mark in (mark for question in questions for mark in question.answers):
            if mark.lost_at:
                lost_at[mark.lost_at] += mark.lost
        return TopicMarks(
            questions=questions,
            lost_at=lost_at,
            question_score=question_coverage(rubric, pairs, self._similarity)
            if self._asked
            else None,
            support_score=report_support(rubric, labels, self._answer) if self._answers else None,
            contradiction_score=report_contradiction(rubric, labels, self._answer)
            if self._answers
            else None,
        )

    def _mark(
        self,
        rubric: Rubric,
        question: RubricQuestion,
        answers: Mapping[str, AnswerAssessment],
        pairs: Mapping[tuple[int, int], str | Unjudged],
    ) -> QuestionMark:
        share = question.weight / rubric.total_weight
        marks = tuple(
            self._mark_answer(
                answer,
                answers.get(answer.answer_id),
                share / len(question.answers),
                self._lost_at.get((rubric.topic_id, answer.answer_id), ""),
            )
            for answer in question.answers
        )
        lost = fsum(mark.lost for mark in marks)
        gain = self._similarity.credit
        near = [
            (-gain(label), rank, label)
            for (rubric_rank, rank), label in pairs.items()
            if rubric_rank == question.rank and not isinstance(label, Unjudged) and gain(label) > 0
        ]
        _, matched_rank, matched_label = min(near, default=(0, None, None))
        return QuestionMark(
            text=question.text,
            importance=question.importance.title or question.importance.name,
            answers=marks,
            earned=share - lost,
            lost=lost,
            matched_rank=matched_rank,
            matched_label=matched_label,
        )

    def _mark_answer(
        self, answer: RubricAnswer, given: AnswerAssessment | None, share: float, lost_at: str
    ) -> AnswerMark:
        label: str | None = None
        if given is None:
            reason = "not judged"
        elif isinstance(given.label, Unjudged):
            reason = given.label.reason
        else:
            label, reason = given.label, _in_words(given.rationale)
        return AnswerMark(
            text=answer.text,
            references=tuple(web_page(url, "") for url in answer.references),
            label=label,
            title=self._answer.label(label).title if label else "Not judged",
            reason=reason,
            lost=share * (1 - (self._answer.credit(label) if label else 0.0)),
            lost_at=lost_at,
        )


def _in_words(rationale: str) -> str:
    """Return what a rationale says to people: no chances, and no list of measurements."""
    if _MEASUREMENTS.match(rationale):
        return ""
    said = _CHANCE.sub("The nearest sentence: ", rationale)
    return said if said == rationale or said.endswith((".", "!", "?", "”", '"')) else f"{said} …"
