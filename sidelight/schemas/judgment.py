"""Labels a judge or an assessor may give, and who gave them to what.

Assessments are plain dataclasses: files hold a hundred thousand, and their reader checks each cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sidelight.schemas.base import Value


class SimilarityLabel(StrEnum):
    """How alike a rubric question and a submitted question are (Task 1)."""

    VERY_SIMILAR = "very-similar"
    SIMILAR = "similar"
    DIFFERENT = "different"
    VERY_DIFFERENT = "very-different"


class AnswerLabel(StrEnum):
    """What a report says about a rubric answer (Task 2)."""

    SUPPORTS = "supports"
    PARTIAL = "partial"
    CONTRADICTS = "contradicts"
    NONE = "none"


class CompoundLabel(StrEnum):
    """Whether a submitted question asks more than one thing."""

    COMPOUND = "compound"
    NOT_COMPOUND = "not-compound"


class Unjudged(Value):
    """A verdict that could not be had; never a grade, always counted."""

    reason: str


@dataclass(frozen=True, slots=True)
class QuestionAssessment:
    """One rubric question against one submitted question."""

    topic_id: str
    rubric_question_rank: int
    run_tag: str
    run_question_rank: int
    label: SimilarityLabel | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class AnswerAssessment:
    """One rubric answer against one report."""

    topic_id: str
    run_tag: str
    answer_id: str
    label: AnswerLabel | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class CompoundAssessment:
    """One submitted question, compound or not."""

    topic_id: str
    run_tag: str
    run_question_rank: int
    run_question_text: str
    label: CompoundLabel | Unjudged
    rationale: str = ""
