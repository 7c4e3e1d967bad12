"""Retriever protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from sidelight.schemas.investigation.evidence import Hit, Query

Lookup = Callable[[Sequence[str]], Sequence[Segment]]
"""Segment ids to segments, in the order asked for."""


class Retriever(Protocol):
    """Finds segments, from any thread."""

    @property
    def name(self) -> str:
        """A short name, for run tags and traces."""
        ...

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id, ordered as by `search.ranked`."""
        ...
