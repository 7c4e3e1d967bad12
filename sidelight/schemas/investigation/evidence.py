"""Segments found for a topic, the short keys writers see, and the way back to segment ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import Field

from sidelight.schemas.base import Value
from sidelight.schemas.segment import Segment, document_id_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


class Evidence(Value):
    """A selected segment.

    Attributes:
        segment: The segment.
        relevance: For each angle it speaks to (by id), how well, in (0, 1].
    """

    segment: Segment
    relevance: dict[str, float] = Field(min_length=1)


class EvidenceSet(Value):
    """All evidence of a topic, in the order of segment ids.

    Writers see only the keys `E1`, `E2`, ...; they follow the order of the items.
    """

    items: tuple[Evidence, ...] = ()

    @classmethod
    def merge(cls, *parts: EvidenceSet) -> Self:
        """Return the union; commutative and idempotent, the higher relevance wins."""
        found: dict[str, Evidence] = {}
        for item in (item for part in parts for item in part.items):
            known = found.get(item.segment.segment_id)
            found[item.segment.segment_id] = item if known is None else _merged(known, item)
        return cls(items=tuple(found[segment_id] for segment_id in sorted(found)))

    def without(self, document_ids: Collection[str]) -> Self:
        """Return what comes from other documents."""
        return type(self)(
            items=tuple(
                item
                for item in self.items
                if document_id_of(item.segment.segment_id) not in document_ids
            )
        )

    def keyed(self) -> Iterator[tuple[str, Evidence]]:
        """Yield each item with its evidence key."""
        return ((f"E{number}", item) for number, item in enumerate(self.items, start=1))

    def segment_ids(self) -> Mapping[str, str]:
        """Return the segment id behind each evidence key."""
        return {key: item.segment.segment_id for key, item in self.keyed()}

    def for_angle(self, angle_id: str) -> list[Evidence]:
        """Return what speaks to an angle, best first."""
        found = [item for item in self.items if angle_id in item.relevance]
        return sorted(found, key=lambda item: -item.relevance[angle_id])

    def covers(self, angle_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the angles that some item speaks to."""
        spoken = {angle_id for item in self.items for angle_id in item.relevance}
        return frozenset(spoken.intersection(angle_ids))


class Selection(Value):
    """What was taken as evidence, and what was not.

    Attributes:
        evidence: What was taken.
        dropped: By segment id, why a candidate was left.
    """

    evidence: EvidenceSet
    dropped: dict[str, str] = Field(default_factory=dict)


def _merged(first: Evidence, second: Evidence) -> Evidence:
    relevance = {
        angle_id: max(first.relevance.get(angle_id, 0.0), second.relevance.get(angle_id, 0.0))
        for angle_id in sorted({*first.relevance, *second.relevance})
    }
    return Evidence(segment=first.segment, relevance=relevance)
