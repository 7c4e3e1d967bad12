"""A judge asked for labels, one protocol at a time."""

import asyncio
from functools import partial

from sidelight.evaluation.labelling.judge import RubricCase
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)


def _ask(protocol, judge, rubric, submitted):
    return asyncio.run(judge.label(protocol, RubricCase(rubric, submitted)))


on_questions, on_compound, on_report = (
    partial(_ask, one) for one in (QUESTION_SIMILARITY, COMPOUND_QUESTIONS, REPORT_ANSWERS)
)
