"""A ranking that keeps a track's limits."""

from __future__ import annotations

from dataclasses import dataclass

from sidelight.errors import InputError
from sidelight.schemas.investigation.search import Hit, ranked


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
        """What a run file holds."""
        return self.hits
