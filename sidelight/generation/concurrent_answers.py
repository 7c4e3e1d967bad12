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
    it.

    Raises:
        ReplyError: There is not one answer, though something was asked; it is the first error.
    """
    outcomes = await asyncio.gather(*map(_outcome, asked))
    errors = [outcome for outcome in outcomes if isinstance(outcome, ReplyError)]
    if errors and len(errors) == len(outcomes):
        raise errors[0]
    return outcomes


async def _outcome(asked: Awaitable[T]) -> T | ReplyError:
    try:
        return await asked
    except ReplyError as error:
        return error
