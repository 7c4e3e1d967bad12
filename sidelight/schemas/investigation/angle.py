"""What an investigation asks: the unit that plans, evidence, questions and reports share."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field

from sidelight.schemas.base import Value


class Aspect(StrEnum):
    """The sides of trustworthiness that assessors look at (DRAGUN resources paper, section 3.1)."""

    PUBLISHER = "publisher"
    AUTHOR = "author"
    CLAIM = "claim"
    FIGURE = "figure"
    SOURCE = "source"
    CONTEXT = "context"
    VIEWPOINT = "viewpoint"


class Angle(Value):
    """One thing worth finding out about an article.

    Attributes:
        angle_id: Unique within a topic.
        aspect: Which side of trustworthiness it belongs to.
        question: What a careful reader would ask; a candidate for the questions of a run.
        query: What to search for.
        must_mention: Evidence has to name at least one of these; empty when anything on the
            subject will do.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
    """

    angle_id: str
    aspect: Aspect
    question: str
    query: str
    must_mention: tuple[str, ...] = ()
    weight: float = Field(gt=0, le=4)


class PlannedQuery(Value):
    """A search made for an angle.

    Attributes:
        query_id: Unique within a topic.
        round_number: The round that makes it, 1-based.
        angle_id: The angle it is made for.
        text: What is searched for.
    """

    query_id: str
    round_number: int = Field(ge=1)
    angle_id: str
    text: str

    @classmethod
    def of(cls, angle: Angle, round_number: int, text: str) -> Self:
        """Return the search that a round makes for an angle; a round makes one for each."""
        return cls(
            query_id=f"{round_number}.{angle.angle_id}",
            round_number=round_number,
            angle_id=angle.angle_id,
            text=text,
        )


class Plan(Value):
    """What a round investigates: angles that are new, and searches for new and open angles."""

    angles: tuple[Angle, ...]
    queries: tuple[PlannedQuery, ...]


class Coverage(Value):
    """How far the evidence reaches.

    Attributes:
        covered: Angles that evidence speaks to, sorted.
        weight: Sum over angles of weight times the chance that evidence speaks to it.
        by_angle: For each angle, the chance that evidence speaks to it.
        score: That sum as a share of the weight of all angles, in [0, 1].
        go_on: Whether another round is expected to raise it.
        reason: Why, for the trace.
    """

    covered: tuple[str, ...]
    weight: float
    by_angle: dict[str, float] = Field(default_factory=dict)
    score: float
    go_on: bool
    reason: str
