"""What every retriever can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.schemas.search import Hit, Query
    from sidelight.schemas.segment import Segment

    # Returns the segments of some ids, in the order asked for.
    Lookup = Callable[[Sequence[str]], Sequence[Segment]]


class Retriever(Protocol):
    """Finds segments, from any thread."""

    @property
    def name(self) -> str:
        """A short name, for run tags and traces."""
        ...

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id, ordered as by `schemas.search.ranked`."""
        ...
