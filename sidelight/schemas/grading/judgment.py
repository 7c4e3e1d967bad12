"""Labels that a judge or an assessor gave to what.

A label is the name of one of a `LabelScale`. Assessments are plain dataclasses: files hold a
hundred thousand, and their reader checks each cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from sidelight.schemas.run import CitedSentence


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
    label: str | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class AnswerAssessment:
    """One rubric answer against one report."""

    topic_id: str
    run_tag: str
    answer_id: str
    label: str | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class CompoundAssessment:
    """One submitted question, compound or not."""

    topic_id: str
    run_tag: str
    run_question_rank: int
    run_question_text: str
    label: str | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class QuestionGrade:
    """How good one submitted question is.

    Attributes:
        redundant: Whether an earlier question of the same list answers it; None where nobody said.
    """

    topic_id: str
    run_tag: str
    run_question_rank: int
    run_question_text: str
    label: str | Unjudged
    redundant: bool | None = None
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """One sentence of a report against what it cites.

    Attributes:
        run_tag: The run.
        topic_id: The topic of the report.
        number: 1-based place in the report.
        first: Its support by the first citation; None where it cites nothing.
        all: Its support by all citations together; None where it cites nothing.
        reason: Why `all` is what it is.
        sentence: What was judged.
    """

    run_tag: str
    topic_id: str
    number: int
    first: str | Unjudged | None
    all: str | Unjudged | None
    reason: str
    sentence: CitedSentence
