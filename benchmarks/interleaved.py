"""Time two ways of doing the same work side by side, so that a busy machine hits both alike."""

from __future__ import annotations

import os
import platform
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

RESULTS = Path(__file__).parent / "results"


class Comparison(NamedTuple):
    """Seconds per round of ours and of the peer."""

    name: str
    ours: list[float]
    peer: list[float]

    def __str__(self) -> str:
        paired = statistics.median(b / a for a, b in zip(self.ours, self.peer, strict=True))
        best_ours, best_peer = min(self.ours), min(self.peer)
        return (
            f"{self.name}\n  ours best {best_ours:.3f} s, peer best {best_peer:.3f} s, "
            f"{best_peer / best_ours:.2f}x as fast by best, {paired:.2f}x by median of pairs"
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


def write_results(name: str, workload: str, figures: Iterable[object]) -> None:
    """Write the figures with what they depend on."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load}"
    lines = [f"workload: {workload}", f"machine: {machine}, Python {platform.python_version()}"]
    lines += map(str, figures)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
