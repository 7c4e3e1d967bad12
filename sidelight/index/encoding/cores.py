"""Parallel map over all cores, each with its own item; cores never wait for each other."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")
R = TypeVar("R")


def on_all_cores(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Return the result for each item, in order; as many are worked on at once as there are cores.

    For work that leaves the interpreter alone, as models do. In its threads torch has one core.
    """
    return list(_threads().map(work, items))


@cache
def _threads() -> ThreadPoolExecutor:
    import torch

    # What a thread tells torch holds for all threads that ask torch later. So all are told at once,
    # and then torch has its old number again.
    cores, before = os.cpu_count() or 1, torch.get_num_threads()
    threads = ThreadPoolExecutor(cores, initializer=_alone)
    started = Barrier(cores + 1)
    for _ in range(cores):
        threads.submit(started.wait)
    started.wait()
    torch.set_num_threads(before)
    return threads


def _alone() -> None:
    import torch

    torch.get_num_threads()  # else the thread takes the number of all when it first works
    torch.set_num_threads(1)


os.register_at_fork(after_in_child=_threads.cache_clear)  # threads do not come along
