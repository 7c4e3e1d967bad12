"""Segments under the keys of one prompt, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.schemas.segment import Segment

MAX_CITED = 3
"""Segments a sentence cites at most; a track that allows fewer has its way in `resolve_report`."""


class ShownSegment(NamedTuple):
    """A segment as `segments.partial.md` shows it."""

    key: str
    host: str
    title: str
    text: str


class KeyedSegments:
    """Segments shown as E1, E2, ... in one prompt; nowhere else do the keys mean anything.

    Args:
        segments: In the order of their keys.
        max_words: Each is cut to so many first words. A window is seldom longer, and what is cut
            off mostly stands in the window that overlaps it.
    """

    def __init__(self, segments: Sequence[Segment], max_words: int) -> None:
        self._by_key = {f"E{number}": segment for number, segment in enumerate(segments, start=1)}
        self.shown = tuple(
            ShownSegment(
                key=key,
                host=segment.host,
                title=segment.title,
                text=" ".join(segment.text.split(maxsplit=max_words)[:max_words]),
            )
            for key, segment in self._by_key.items()
        )

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __getitem__(self, key: str) -> Segment:
        return self._by_key[key]

    def resolve(self, keys: Iterable[str]) -> tuple[tuple[Segment, ...], tuple[str, ...]]:
        """Return the segments behind keys, each once, and the keys that stand for nothing."""
        named = list(dict.fromkeys(keys))
        return (
            tuple(self._by_key[key] for key in named if key in self),
            tuple(key for key in named if key not in self),
        )
