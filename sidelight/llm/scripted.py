"""Models without a server: one replies from a script, one allows cached replies only."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from sidelight.errors import OfflineError, SidelightError
from sidelight.llm.base import Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


_MAX_QUESTION_CHARACTERS = 80  # of a question, in a message


class OfflineModel:
    """Refuses every call; behind a `CachedModel` it makes a run a pure replay.

    Args:
        name: The model whose answers are replayed.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(self, request: Request) -> NoReturn:
        """Refuse.

        Raises:
            OfflineError: Always; it names the prompt.
        """
        question = request.messages[-1].content
        if len(question) > _MAX_QUESTION_CHARACTERS:
            question = f"{question[:_MAX_QUESTION_CHARACTERS]}..."
        raise OfflineError(
            f"the cache holds no answer of {request.model!r} to {question!r} "
            f"(request {request.fingerprint()[:12]})",
            remedy="Run once with the model server at hand, or take the cache of a run that was.",
        )
