"""In which order prompts are sent, so that a server computes what they share only once.

A server that caches prefixes can reuse one only after it has computed it. If all requests that
begin with the same article arrive at once, each computes it anew. So one goes ahead, and the others
follow when its reply is there.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

# Requests under way are limited by the client; this is how many prompts wait in memory for it. They
# are admitted in the order in which they were asked for, so a topic's prompts stay together: with
# many more, those of all topics would come by turns, and push each other out of a server's cache.
_ADMITTED = 512


class PrefixOrder:
    """Lets one request of every new prefix go ahead of the others that share it."""

    def __init__(self) -> None:
        self._admitted = asyncio.Semaphore(_ADMITTED)
        self._computed: dict[tuple[str, ...], asyncio.Event] = {}

    @asynccontextmanager
    async def turn(self, *prefix: str) -> AsyncIterator[None]:
        """Hold the block until its prefix has been computed, unless it is the one that goes ahead.

        Args:
            prefix: Names of the parts a prompt begins with, the first part first: a topic, then a
                rubric question. All that share the first part wait for one request with it, then
                those that share the second for one with both.
        """
        async with self._admitted:
            ahead = []
            for n_parts in range(1, len(prefix) + 1):
                part = prefix[:n_parts]
                if part in self._computed:
                    await self._computed[part].wait()
                else:
                    ahead.append(self._computed.setdefault(part, asyncio.Event()))
            try:
                yield
            finally:
                for event in ahead:
                    event.set()
