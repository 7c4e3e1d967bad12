"""Ranking within a track's limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.schemas.investigation.evidence import Hit, ranked
from sidelight.schemas.topic import question_id

if TYPE_CHECKING:
    from sidelight.schemas.run import QuestionHits


@dataclass(frozen=True, slots=True)
class Ranking:
    """Segments in order of relevance; constructing one checks it.

    Args:
        topic_id: The topic.
        hits: By falling score, ties by rising segment id.
        depth: How many the track takes at most; None where a run chooses.

    Raises:
        InputError: There are more, a segment occurs twice, or the order is another.
    """

    topic_id: str
    hits: tuple[Hit, ...]
    depth: int | None

    def __post_init__(self) -> None:
        """Check every limit."""
        if self.depth is not None and len(self.hits) > self.depth:
            raise InputError(f"{self.topic_id}: {len(self.hits)} segments, over {self.depth}")
        if len({hit.segment_id for hit in self.hits}) < len(self.hits):
            raise InputError(f"{self.topic_id}: a segment is ranked twice")
        if list(self.hits) != ranked(list(self.hits)):
            raise InputError(f"{self.topic_id}: segments are not in order of their scores")

    @property
    def content(self) -> tuple[Hit, ...]:
        """Content as a run file holds it."""
        return self.hits


@dataclass(frozen=True, slots=True)
class QuestionRankings:
    """Rankings for all questions of a topic; constructing one checks them.

    Args:
        topic_id: The topic.
        rankings: One for each question, in the order of their numbers, none of them empty.
        depth: How many documents the track takes for each at most.

    Raises:
        InputError: A ranking breaks a limit (see `Ranking`), or the questions are not numbered.
    """

    topic_id: str
    rankings: tuple[QuestionHits, ...]
    depth: int

    def __post_init__(self) -> None:
        """Check every limit."""
        for number, one in enumerate(self.rankings, start=1):
            if one.question_id != question_id(self.topic_id, number):
                raise InputError(f"{self.topic_id}: {one.question_id} is not question {number}")
            if not one.hits:
                raise InputError(f"{one.question_id}: nothing was found")
            Ranking(one.question_id, one.hits, self.depth)

    @property
    def content(self) -> tuple[QuestionHits, ...]:
        """Content as a run file holds it."""
        return self.rankings
