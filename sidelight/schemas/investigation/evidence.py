"""Evidence of a topic: segments, the short keys that writers cite, and queries with their hits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from operator import itemgetter
from typing import Literal, NamedTuple, Self

from pydantic import Field

from sidelight.schemas.base import Value
from sidelight.schemas.segment import Segment, document_id_of


class Evidence(Value):
    """A selected segment.

    Attributes:
        relevance: For each angle it speaks to (by id), how well, in (0, 1].
        published: The date that its page bears, as written; empty where none was seen.
        before: What leads up to it on its page, where that was read.
        after: What follows it there.
    """

    segment: Segment
    relevance: dict[str, float] = Field(min_length=1)
    published: str = ""
    before: str = ""
    after: str = ""


class FoundClaim(Value):
    """A claim that a reader of the evidence found stated in it.

    Attributes:
        text: The statement, understood by itself.
        segment_ids: The segments that state it, the plainest first.
        answers: For each angle it helps to answer (by id), the chance that it does, in (0, 1].
        speaker: Whose assertion it is; empty where the page states it as a fact.
        against: The statement of the article that it qualifies, corrects or contradicts; empty
            where there is none.
        supports: The statement of the article that it bears out, likewise.
        left_out: Whether its reader found that the article says nothing of it.
    """

    text: str
    segment_ids: tuple[str, ...] = Field(min_length=1)
    answers: dict[str, float] = Field(min_length=1)
    speaker: str = ""
    against: str = ""
    supports: str = ""
    left_out: bool = False


class EvidenceSet(Value):
    """All evidence of a topic, in the order of segment ids.

    Writers see only the keys `E1`, `E2`, ...; they follow the order of the items.

    Attributes:
        claims: What was found stated in them, in the order of what they rest on; none where
            segments were chosen and not read.
    """

    items: tuple[Evidence, ...] = ()
    claims: tuple[FoundClaim, ...] = ()

    @classmethod
    def merge(cls, *parts: EvidenceSet) -> Self:
        """Return the union; commutative and idempotent, the higher relevance wins."""
        found: dict[str, Evidence] = {}
        for item in (item for part in parts for item in part.items):
            known = found.get(item.segment.segment_id)
            found[item.segment.segment_id] = item if known is None else _merged(known, item)
        claims = {claim.model_dump_json(): claim for part in parts for claim in part.claims}
        return cls(
            items=tuple(found[segment_id] for segment_id in sorted(found)),
            claims=tuple(
                claim
                for _, claim in sorted(
                    claims.items(), key=lambda known: (known[1].segment_ids, known[0])
                )
            ),
        )

    def without(self, document_ids: AbstractSet[str]) -> Self:
        """Return what comes from other documents."""
        return type(self)(
            items=tuple(
                item
                for item in self.items
                if document_id_of(item.segment.segment_id) not in document_ids
            ),
            claims=tuple(
                claim
                for claim in self.claims
                if document_ids.isdisjoint(map(document_id_of, claim.segment_ids))
            ),
        )

    def keyed(self) -> Iterator[tuple[str, Evidence]]:
        """Yield each item with its evidence key."""
        return ((f"E{number}", item) for number, item in enumerate(self.items, start=1))

    def segment_ids(self) -> Mapping[str, str]:
        """Return the segment id behind each evidence key."""
        return {key: item.segment.segment_id for key, item in self.keyed()}

    def covers(self, angle_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the angles that some item speaks to."""
        spoken = {angle_id for item in self.items for angle_id in item.relevance}
        return frozenset(spoken.intersection(angle_ids))


class Selection(Value):
    """Segments taken as evidence; `dropped` says by segment id why a candidate was left out."""

    evidence: EvidenceSet
    dropped: dict[str, str] = Field(default_factory=dict)


def _merged(first: Evidence, second: Evidence) -> Evidence:
    relevance = {
        angle_id: max(first.relevance.get(angle_id, 0.0), second.relevance.get(angle_id, 0.0))
        for angle_id in sorted({*first.relevance, *second.relevance})
    }
    return Evidence(
        segment=first.segment,
        relevance=relevance,
        # One of them may not have seen all.
        published=max(first.published, second.published),
        before=max(first.before, second.before),
        after=max(first.after, second.after),
    )


class Query(Value):
    """A search; `query_id` is unique within a batch.

    A dense retriever reads the text as a sentence, BM25 as a bag of words.
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
    by_id = sorted(hits, key=itemgetter(0))  # a sort keeps the order of equals
    return sorted(by_id, key=itemgetter(1), reverse=True)
