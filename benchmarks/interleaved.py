"""Time two ways of doing the same work side by side, so that a busy machine hits both alike."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Comparison(NamedTuple):
    """Seconds per round of ours and of the peer."""

    name: str
    ours: list[float]
    peer: list[float]

    def ratio(self) -> float:
        """Return how many times as fast ours is, by the best rounds."""
        return min(self.peer) / min(self.ours)

    def __str__(self) -> str:
        paired = statistics.median(b / a for a, b in zip(self.ours, self.peer, strict=True))
        return (
            f"{self.name}\n  ours best {min(self.ours):.3f} s, peer best {min(self.peer):.3f} s, "
            f"{self.ratio():.2f}x as fast by best, {paired:.2f}x by median of pairs"
        )


def compare(
    name: str, ours: Callable[[], object], peer: Callable[[], object], rounds: int = 5
) -> Comparison:
    """Run both once to warm up, then in turn, taking turns at going first."""
    times: dict[Callable[[], object], list[float]] = {ours: [], peer: []}
    ours(), peer()
    for number in range(rounds):
        for work in (ours, peer) if number % 2 else (peer, ours):
            started = time.perf_counter()
            work()
            times[work].append(time.perf_counter() - started)
    comparison = Comparison(name, times[ours], times[peer])
    print(comparison, flush=True)
    return comparison
