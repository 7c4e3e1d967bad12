"""A model that answers from a script."""

from collections import deque
from typing import TypeAlias

from sidelight.errors import SidelightError
from sidelight.llm.base import Reply, Request

Line: TypeAlias = str | Reply | SidelightError
"""A reply, its text alone, or the error to raise in its place."""


class ScriptedModel:
    """Answers from a script, in order.

    It has one entry per call: a `Line`, or a function that looks at the request (and may assert
    things about it) and returns one. A type of answer in `always` gets the same reply whenever it
    is wanted; those requests stand in `aside`.
    """

    def __init__(self, replies, name="scripted", always=None):
        self.name = name
        self.requests: list[Request] = []
        self.aside: list[Request] = []
        self._always = always or {}
        self._script = deque(replies)

    async def complete(self, request):
        """Give the next reply of the script."""
        if request.json_schema and request.json_schema.name in self._always:
            self.aside.append(request)
            return Reply(text=self._always[request.json_schema.name])
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

    def assert_finished(self):
        """Fail unless every reply was asked for."""
        if self._script:
            raise AssertionError(f"{len(self._script)} scripted replies were never asked for")
