"""Engines that run the parts of a build: processes of this machine, or a Ray cluster.

A part is a folder that all machines see, so only its name passes through Ray: plain tasks do,
without the tables of Ray Data. Ray reassigns a task whose process or machine is lost, and the new
one resumes with what it finds in the folder.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sidelight.errors import MachineError, install_hint, package_of
from sidelight.versions import end_with_parent

OnSegments = Callable[[int], object]
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


def memory_bytes() -> int:
    """Return the memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class LocalEngine:
    """Processes of this machine, or this process where one is enough.

    They are started anew, not forked, and import the script that began the build: what it does, it
    must do under `if __name__ == "__main__":`.

    Args:
        processes: At most so many; by default one per core, as far as memory goes.
    """

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes or min(os.cpu_count() or 1, memory_bytes() // PROCESS_BYTES)

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Yield the result for each item, in order; a process that dies raises MachineError."""
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
                    remedy="Run the same command again; it resumes. A script of your "
                    'own must build under: if __name__ == "__main__":',
                ) from error

    def encode(
        self, work: Callable[[T, OnSegments], object], items: Sequence[T], on_segments: OnSegments
    ) -> None:
        """Let a model work on one item after the other, in this process: it uses all cores."""
        for item in items:
            work(item, on_segments)


def check_shared(folder: Path) -> None:
    """Refuse to work on a machine that does not see the folder of the build."""
    if not folder.is_dir():
        raise MachineError(
            f"{platform.node()}: expected the folder of the build, {folder}; found none",
            remedy="Put the shards and the index on a file system that all machines share, under "
            "the same path on each.",
        )


# For processes to end in, when the build has.
_ENDING_S = 30


class RayEngine:
    """The cluster of RAY_ADDRESS or, failing that, of this machine, or else this machine alone.

    All machines have the same version of sidelight, and the shards, the index and the model under
    the same path. As many items are worked on at once as the cluster has room for; an item whose
    process is lost is worked on again, three times at most. The connection is made when it is first
    needed and ends with this process.
    """

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Yield the result for each item, in order; each has a core and room for a Java machine.

        MachineError is raised if the cluster is out of reach, or a process is lost again and again.
        """
        if items:
            ray = _connected()
            # A machine too small for that does one at a time.
            memory = min(PROCESS_BYTES, int(max(_amounts(ray, "memory"), default=PROCESS_BYTES)))
            yield from _results(ray, work, items, {"num_cpus": 1, "memory": memory})

    def encode(
        self, work: Callable[[T, OnSegments], object], items: Sequence[T], on_segments: OnSegments
    ) -> None:
        """Let a model work on each item; each has a GPU where there is one, or else a machine."""
        if items:
            ray = _connected()
            # Where machines differ, one as large as the smallest.
            cores = min(_amounts(ray, "CPU"), default=1)
            room = {"num_gpus": 1} if _amounts(ray, "GPU") else {"num_cpus": cores}
            for segments in _results(ray, partial(_total, work), items, room):
                on_segments(segments)


def _connected() -> Any:
    """Return the module `ray`, connected to a cluster."""
    # Else Ray says that it reports to its makers how it is used, and does.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # To report crashes, Ray takes SIGSEGV, which a Java machine lives on, and in the end leaves it
    # to nobody. The variable holds for its processes; for this one, too, if it is imported below.
    os.environ.setdefault("RAY_DISABLE_FAILURE_SIGNAL_HANDLER", "1")
    with package_of("the engine 'ray'", install_hint("ray")):
        import ray
        from ray._private import ray_constants
    if not ray.is_initialized():
        ray_constants.RAY_DISABLE_FAILURE_SIGNAL_HANDLER = True
        reported = faulthandler.is_enabled()
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        except ConnectionError as error:
            raise MachineError(
                f"no Ray cluster answers: {error}",
                remedy="Start it with `ray start`, or unset RAY_ADDRESS to work on this machine.",
            ) from error
        finally:
            if not reported:
                faulthandler.disable()  # Ray lets Python take the signal, too
    return ray


def _amounts(ray: Any, resource: str) -> list[float]:
    """Return how much of a resource each machine has that has any."""
    found = (node["Resources"].get(resource, 0.0) for node in ray.nodes() if node["Alive"])
    return [amount for amount in found if amount]


def _results(
    ray: Any, work: Callable[[T], R], items: Sequence[T], room: Mapping[str, float]
) -> Iterator[R]:
    # Ray would fill one machine before it takes the next.
    task = ray.remote(scheduling_strategy="SPREAD", **room)(_apply)
    tasks = [task.remote(work, item) for item in items]
    waiting = list(tasks)
    try:
        for one in tasks:
            while one in waiting:
                finished, waiting = ray.wait(waiting)
                ray.get(finished)  # an error ends the build now, not when its turn comes
            yield ray.get(one)
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None)
        if cause and not isinstance(cause, ray.exceptions.RayError):
            raise cause from error
        raise MachineError(
            f"Ray could not get a part done: {str(cause or error).splitlines()[0]}",
            remedy="See that all machines have the same version of sidelight and memory enough, "
            "and run the same command again; it resumes.",
        ) from error
    finally:
        if waiting:
            for one in waiting:
                ray.cancel(one, force=True)
            ray.wait(waiting, num_returns=len(waiting), timeout=_ENDING_S)


def _apply(work: Callable[[T], R], item: T) -> R:
    return work(item)


def _total(work: Callable[[T, OnSegments], object], item: T) -> int:
    done: list[int] = []
    work(item, done.append)
    return sum(done)
