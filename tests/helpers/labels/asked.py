"""A judge asked for labels, one protocol at a time."""

import asyncio

from sidelight.evaluation.labelling.judge import RubricCase
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)


def on_questions(judge, rubric, questions):
    """Return the judgments by rubric question, then submitted question."""
    return asyncio.run(judge.label(QUESTION_SIMILARITY, RubricCase(rubric, questions)))


def on_compound(judge, rubric, questions):
    """Return the judgments by submitted question."""
    return asyncio.run(judge.label(COMPOUND_QUESTIONS, RubricCase(rubric, questions)))


def on_report(judge, rubric, report):
    """Return the judgments by expected answer."""
    return asyncio.run(judge.label(REPORT_ANSWERS, RubricCase(rubric, report)))
