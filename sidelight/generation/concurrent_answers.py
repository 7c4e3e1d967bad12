"""Concurrent model calls, of which some may stay without an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

from sidelight.errors import ReplyError

T = TypeVar("T")


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
