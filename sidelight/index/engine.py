"""Where the parts of a build are worked on."""

from __future__ import annotations

import os
import platform
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING, Protocol, TypeVar

from sidelight.errors import MachineError
from sidelight.processes import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    OnSegments = Callable[[int], object]
    # Given a description and perhaps a total, shows progress while its block runs and yields the
    # function that advances it.
    Progress = Callable[[str, int | None], AbstractContextManager[Callable[[int], object]]]

T = TypeVar("T")
R = TypeVar("R")

# What a process with a Java virtual machine may take.
PROCESS_BYTES = 2 << 30


class Engine(Protocol):
    """Does the same work on many items; work, items and results can be pickled."""

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Yield the result for each item, in order; each is worked on by one core."""

    def encode(
        self, work: Callable[[T, OnSegments], object], items: Sequence[T], on_segments: OnSegments
    ) -> None:
        """Let a model work on each item, with a GPU or else a whole machine to itself.

        Args:
            work: Given an item, and what it calls with the number of segments done since.
            items: What to work on.
            on_segments: Called with these numbers, perhaps added up.
        """


class LocalEngine:
    """Processes of this machine, or this process where one is enough.

    They are started anew, not forked, and import the script that began the build: what it does, it
    must do under `if __name__ == "__main__":`.

    Args:
        processes: At most so many; by default one per core, as far as memory goes.
    """

    def __init__(self, processes: int | None = None) -> None:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self._processes = processes or min(os.cpu_count() or 1, memory // PROCESS_BYTES)

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Yield the result for each item, in order.

        Raises:
            MachineError: A process died.
        """
        processes = min(self._processes, len(items))
        if processes <= 1:
            yield from map(work, items)
            return
        # A Java virtual machine does not survive a fork.
        context = get_context("spawn")
        with ProcessPoolExecutor(processes, context, initializer=end_with_parent) as pool:
            try:
                yield from pool.map(work, items)
            except BrokenProcessPool as error:
                raise MachineError(
                    "a process of the build was killed, perhaps for want of memory",
                    remedy="Run the same command again; it goes on where it was. A script of your "
                    'own must build under: if __name__ == "__main__":',
                ) from error

    def encode(
        self, work: Callable[[T, OnSegments], object], items: Sequence[T], on_segments: OnSegments
    ) -> None:
        """Let a model work on one item after the other, in this process: it uses all cores."""
        for item in items:
            work(item, on_segments)


def check_shared(folder: Path) -> None:
    """Refuse to work on a machine that does not see the folder of the build.

    Raises:
        MachineError: It does not.
    """
    if not folder.is_dir():
        raise MachineError(
            f"{platform.node()}: expected the folder of the build, {folder}; found none",
            remedy="Put the shards and the index on a file system that all machines share, under "
            "the same path on each.",
        )
