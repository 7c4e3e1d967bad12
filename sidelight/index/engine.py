"""Where the parts of a build are worked on."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Protocol, TypeVar

from sidelight.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
R = TypeVar("R")

# What a process with a Java virtual machine may take.
_PROCESS_BYTES = 2 << 30


class Engine(Protocol):
    """Does the same work on many items.

    Attributes:
        name: What the command line calls it.
    """

    name: str

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Yield the result for each item, in order; work, items and results can be pickled."""


class LocalEngine:
    """Processes of this machine, or this process where one is enough.

    Args:
        processes: At most so many; by default one per core, as far as memory goes.
    """

    name = "local"

    def __init__(self, processes: int | None = None) -> None:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self._processes = processes or min(os.cpu_count() or 1, memory // _PROCESS_BYTES)

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
        with ProcessPoolExecutor(processes, context, initializer=_end_with_parent) as pool:
            try:
                yield from pool.map(work, items)
            except BrokenProcessPool as error:
                raise MachineError(
                    "a process of the build was killed, perhaps for want of memory",
                    remedy="Run the same command again; it goes on where it was.",
                ) from error


def _end_with_parent() -> None:
    """Let this process die with the one that started it, whose lock on the folder ends, too."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
