"""What a retriever is asked and what it answers."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sidelight.schemas.base import Value


class Query(Value):
    """A search.

    Attributes:
        query_id: Unique within a batch.
        text: The words; a dense retriever reads them as a sentence, BM25 as a bag.
    """

    query_id: str
    text: str


DropReason = Literal["own-article", "copy-of-article", "overlaps-better-hit"]


class DroppedHit(Value):
    """A hit that was left out, and why."""

    segment_id: str
    reason: DropReason


class Hit(NamedTuple):
    """One result. Lists of hits are sorted by falling score, ties by rising segment id."""

    segment_id: str
    score: float


def ranked(hits: list[Hit]) -> list[Hit]:
    """Sort hits by falling score, ties by rising segment id."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.segment_id))
