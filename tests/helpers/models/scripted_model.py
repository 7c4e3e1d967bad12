"""A model that answers from a script."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

from sidelight.errors import SidelightError
from sidelight.llm.base import Reply, Request

Line: TypeAlias = str | Reply | SidelightError
"""A reply, its text alone, or the error to raise in its place."""


class ScriptedModel:
    """Answers from a script, in order.

    Args:
        replies: One entry per call: a `Line`, or a function that looks at the request (and may
            assert things about it) and returns one.
        name: What it calls itself.
    """

    def __init__(
        self, replies: Iterable[Line | Callable[[Request], Line]], name: str = "scripted"
    ) -> None:
        self.name = name
        self.requests: list[Request] = []
        self._script = deque(replies)

    async def complete(self, request: Request) -> Reply:
        """Give the next reply of the script.

        Raises:
            AssertionError: The script is at its end: the code asked once too often.
            SidelightError: The script says so.
        """
        self.requests.append(request)
        if not self._script:
            raise AssertionError(
                f"call {len(self.requests)} is one more than the script has replies; "
                f"it asked: {request.messages[-1].content!r}"
            )
        entry = self._script.popleft()
        line = entry(request) if callable(entry) else entry
        if isinstance(line, SidelightError):
            raise line
        return Reply(text=line) if isinstance(line, str) else line

    def assert_finished(self) -> None:
        """Fail unless every reply was asked for.

        Raises:
            AssertionError: Replies are left over.
        """
        if self._script:
            raise AssertionError(f"{len(self._script)} scripted replies were never asked for")
