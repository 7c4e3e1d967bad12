"""What stands between the network and the app: sizes, slow senders, too many requests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyGuard:
    """Reads a request's whole body before the app does, within a size and a time.

    Args:
        app: The app.
        max_bytes: Longer bodies get 413.
        timeout_s: Bodies that take longer to arrive get 408.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int, timeout_s: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._timeout_s):
                body = await self._read(receive)
        except TimeoutError:
            await _refuse(408, "The request took too long to arrive.")(scope, receive, send)
            return
        if body is None:
            message = f"The request is longer than {self._max_bytes} bytes."
            await _refuse(413, message)(scope, receive, send)
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, replay, send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body, or None once it is too long."""
        parts, size = [], 0
        while True:
            message = await receive()
            part = message.get("body", b"")
            size += len(part)
            if size > self._max_bytes:
                return None
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)


class RateLimit:
    """How many requests one client may make in any minute.

    Args:
        per_minute: That many.
    """

    def __init__(self, per_minute: int) -> None:
        self._limit = parse(f"{per_minute}/minute")
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def allows(self, client: str) -> bool:
        """Count a request, and tell whether it is within the limit."""
        return self._limiter.hit(self._limit, client)


def _refuse(status: int, message: str) -> JSONResponse:
    return JSONResponse({"detail": message}, status, headers={"Connection": "close"})
