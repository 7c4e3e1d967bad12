"""No model at all, for replaying what a cache holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from sidelight.errors import OfflineError

if TYPE_CHECKING:
    from sidelight.llm.base import Request

_MAX_QUOTED = 80


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
        if len(question) > _MAX_QUOTED:
            question = f"{question[:_MAX_QUOTED]}..."
        raise OfflineError(
            f"the cache holds no answer of {request.model!r} to {question!r} "
            f"(request {request.fingerprint()[:12]})",
            remedy="Run once with the model server at hand, or take the cache of a run that was.",
        )
