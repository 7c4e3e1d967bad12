"""Concurrent model calls, of which some may stay without an answer, and work between them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from sidelight.errors import ReplyError

P = ParamSpec("P")
T = TypeVar("T")

# Two that compute in Python only wait for each other.
_COMPUTING = ThreadPoolExecutor(1, thread_name_prefix="computing")


async def computed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what long work returns; calls of other topics are sent and answered meanwhile."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_COMPUTING, partial(work, *args, **kwargs))


async def answers(asked: Iterable[Awaitable[T]]) -> list[T | ReplyError]:
    """Return every answer, or the error in its place, in the order asked.

    One bad reply out of thirty costs its own part of a step and no more; the record of calls shows
    it. What ends the step, such as a budget that is used up, is raised when all calls that were
    made have been answered: their answers are paid for, and are kept.

    Raises:
        ReplyError: There is not one answer, though something was asked; it is the first error.
    """
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    kept: list[T | ReplyError] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, ReplyError):
            raise outcome
        kept.append(outcome)
    errors = [outcome for outcome in kept if isinstance(outcome, ReplyError)]
    if errors and len(errors) == len(kept):
        raise errors[0]
    return kept
