"""Labelling protocols: one for each kind of item that is labelled, shared by all labellers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.schemas.grading.rubric import Rubric  # noqa: TC001 - a NamedTuple reads it

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.formats.labels.assessments import AssessmentKind
    from sidelight.schemas.grading.judgment import LabelScale

S = TypeVar("S")
A = TypeVar("A", QuestionAssessment, AnswerAssessment, CompoundAssessment)
C = TypeVar("C")
C_contra = TypeVar("C_contra", contravariant=True)


class Judgment(NamedTuple):
    """A label with its reason.

    Attributes:
        label: On the scale of the protocol.
        rationale: For people, on one line.
    """

    label: str | Unjudged
    rationale: str = ""


class RubricCase(NamedTuple, Generic[S]):
    """A submission on a topic, to be compared with the topic's rubric.

    Attributes:
        rubric: The rubric.
        submission: A report, or the questions of a run on the topic.
    """

    rubric: Rubric
    submission: S


class Labeller(Protocol[C_contra]):
    """Labels what a case asks about; asynchronous because some labellers ask a model."""

    async def __call__(self, case: C_contra) -> list[Judgment]:
        """Return one judgment for each of the protocol's units of a case, in their order."""
        ...


@dataclass(frozen=True, eq=False)
class LabellingProtocol(Generic[C]):
    """One kind of labelling.

    Attributes:
        name: As messages call it.
        scale: The labels there are.
        units: The names of all that a case asks about; names are unique within the case.
    """

    name: str
    scale: LabelScale
    units: Callable[[C], Sequence[str]]


@dataclass(frozen=True, eq=False)
class AssessmentProtocol(LabellingProtocol[RubricCase[S]], Generic[S, A]):
    """A kind of labelling whose labels are kept in a file, with who submitted what.

    Attributes:
        kind: What assessments of this kind look like in a file.
        record: Makes the assessments of a run's case: run tag, case, judgments by unit.
        order: Sorts assessments.
        file_name: Of a judge's assessments.
    """

    kind: AssessmentKind[A]
    record: Callable[[str, RubricCase[S], Sequence[Judgment]], list[A]]
    order: Callable[[A], Any]
    file_name: str


class Mode(StrEnum):
    """Number of pairs per call; `question_similarity` says what each mode means."""

    PAIRWISE = "pairwise"
    LISTWISE = "listwise"
    GRID = "grid"
