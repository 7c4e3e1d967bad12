"""Segment ids to segments, without the JVM, however their text is kept."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Self

from sidelight.errors import InputError
from sidelight.index.text.offset_store import SUFFIX, OffsetStore, shard_name
from sidelight.index.text.sqlite_store import SqliteStore
from sidelight.schemas.segment import parse_segment_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sidelight.schemas.segment import Segment

# Keeps the segments whose ids do not say where they are.
SEGMENTS = "segments.sqlite"


def open_store(path: Path) -> OffsetStore | SqliteStore:
    """Open one of the stores of a `Docstore`."""
    return SqliteStore(path) if path.name == SEGMENTS else OffsetStore(path)


class Docstore:
    """All segments of an index, read-only and usable from any thread.

    Their order is that of their shards' names, and within a shard that of its lines; the segments
    whose ids do not say where they are come last, in the order of ids.

    Args:
        folder: Holds an `OffsetStore` for each shard as published, a `SqliteStore` for all other
            segments, or both.

    Attributes:
        paths: The stores, in the order of their segments.
    """

    def __init__(self, folder: Path) -> None:
        shards, others = sorted(folder.glob(f"*{SUFFIX}")), list(folder.glob(SEGMENTS))
        self.paths = [*shards, *others]
        self._shards = {path.name.removesuffix(SUFFIX): OffsetStore(path) for path in shards}
        self._others = SqliteStore(others[0]) if others else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return sum(map(len, self._stores))

    def __contains__(self, segment_id: object) -> bool:
        return isinstance(segment_id, str) and segment_id in self._find([segment_id])

    def __iter__(self) -> Iterator[Segment]:
        return chain.from_iterable(self._stores)

    def get_many(self, segment_ids: Sequence[str]) -> list[Segment]:
        """Return segments in the order asked for; each file is read once, front to back.

        Raises:
            InputError: The docstore does not hold an id; the first one is named.
        """
        found = self._find(segment_ids)
        for segment_id in segment_ids:
            if segment_id not in found:
                raise InputError(
                    f"the index does not hold the segment {segment_id!r}",
                    remedy="Use the index that the id comes from.",
                )
        return [found[segment_id] for segment_id in segment_ids]

    def close(self) -> None:
        """Close all files."""
        for store in self._stores:
            store.close()

    @property
    def _stores(self) -> list[OffsetStore | SqliteStore]:
        return [*self._shards.values(), *([self._others] if self._others else [])]

    def _find(self, segment_ids: Sequence[str]) -> dict[str, Segment]:
        offsets: dict[str, list[int]] = {}
        others = []
        for segment_id in segment_ids:
            place = parse_segment_id(segment_id)
            if place and (name := shard_name(place)) in self._shards:
                offsets.setdefault(name, []).append(place.offset)
            else:
                others.append(segment_id)
        found = [self._shards[name].get_at(places) for name, places in offsets.items()]
        if others and self._others:
            found.append(self._others.get(others))
        return {segment.segment_id: segment for segment in chain.from_iterable(found)}
