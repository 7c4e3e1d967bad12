"""Cache of a topic's segments: each is fetched once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.retrieval.base import Lookup
    from sidelight.schemas.segment import Segment

# More than a round finds: fifty searches of twice twenty hits. Some 4 MB of text.
_KEPT = 2048


class SegmentCache:
    """A lookup that remembers what was looked up last, for all steps of a topic.

    A search reads the text of its hits to tell copies of the article; those who select among them
    read it again.

    Args:
        lookup: Fetches segments.
        size: How many are remembered; those not asked for the longest are forgotten first.
    """

    def __init__(self, lookup: Lookup, size: int = _KEPT) -> None:
        self._lookup = lookup
        self._size = size
        self._kept: OrderedDict[str, Segment] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, segment_ids: Sequence[str]) -> list[Segment]:
        """Return the segments of some ids, in the order asked for; usable from any thread."""
        with self._lock:  # while fetching, too: searches side by side find the same pages
            new = [name for name in dict.fromkeys(segment_ids) if name not in self._kept]
            fetched = self._lookup(new) if new else ()
            self._kept.update(zip(new, fetched, strict=True))
            found = [self._kept[name] for name in segment_ids]
            for name in segment_ids:
                self._kept.move_to_end(name)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return found
