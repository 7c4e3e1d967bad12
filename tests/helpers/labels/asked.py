"""A judge asked for labels, one protocol at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sidelight.evaluation.labelling.judge import Judge, Judgment, RubricCase
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedQuestion, SubmittedReport


def on_questions(
    judge: Judge, rubric: Rubric, questions: Sequence[SubmittedQuestion]
) -> list[Judgment]:
    """Return the judgments by rubric question, then submitted question."""
    return asyncio.run(judge.label(QUESTION_SIMILARITY, RubricCase(rubric, questions)))


def on_compound(
    judge: Judge, rubric: Rubric, questions: Sequence[SubmittedQuestion]
) -> list[Judgment]:
    """Return the judgments by submitted question."""
    return asyncio.run(judge.label(COMPOUND_QUESTIONS, RubricCase(rubric, questions)))


def on_report(judge: Judge, rubric: Rubric, report: SubmittedReport) -> list[Judgment]:
    """Return the judgments by expected answer."""
    return asyncio.run(judge.label(REPORT_ANSWERS, RubricCase(rubric, report)))
