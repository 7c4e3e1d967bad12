"""Request guards: allowed hosts, tokens, cross-site requests, body sizes, and rate limits."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import ipaddress
from contextlib import suppress
from typing import TYPE_CHECKING

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyGuard:
    """Reads a request's whole body before the app does, within a size and a time.

    Args:
        app: The app.
        max_bytes: Longer bodies get 413, and so does a head that announces one.
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
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self._max_bytes:
            await self._refuse_long(receive, send)
            return
        try:
            async with asyncio.timeout(self._timeout_s):
                body = await self._read(receive)
        except TimeoutError:
            await _refuse(408, "The request took too long to arrive.")(scope, receive, send)
            return
        if body is None:
            await self._refuse_long(receive, send)
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, replay, send)

    async def _refuse_long(self, receive: Receive, send: Send) -> None:
        """Answer at once, then drop what still arrives within the time.

        A client that is still sending would otherwise find its connection broken, and no answer.
        """
        answer = _refuse(413, f"The request is longer than {self._max_bytes:,} bytes.")
        await send({"type": "http.response.start", "status": 413, "headers": answer.raw_headers})
        await send({"type": "http.response.body", "body": answer.body, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout_s):
                while (await receive()).get("more_body", False):
                    pass
        await send({"type": "http.response.body", "body": b""})

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


class OriginGuard:
    """Refuses what a page of another site has a browser send; programs that say no origin may send.

    Browsers say in `Sec-Fetch-Site` where a request comes from, whatever name a proxy gives this
    app. Those that do not, because nothing is encrypted, say the page's address in `Origin`.

    Args:
        app: The app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope.get("method") in {"POST", "DELETE"} and _is_of_another_site(Headers(scope=scope)):
            refusal = _refuse(403, "Expected a request of this app's own pages, or of a program.")
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class KindGuard:
    """Refuses a body whose media type is none of those that its address takes.

    Args:
        app: The app.
        kinds: Media types by path.
    """

    def __init__(self, app: ASGIApp, *, kinds: Mapping[str, Sequence[str]]) -> None:
        self._app = app
        self._kinds = kinds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        kinds = self._kinds.get(scope.get("path", ""))
        if (
            scope.get("method") == "POST"
            and kinds
            and media_type(Headers(scope=scope)) not in kinds
        ):
            message = f"Expected {' or '.join(kinds)} as the Content-Type."
            await _refuse(415, message)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class RateLimit:
    """Limit on the requests of one client in any minute.

    Args:
        per_minute: That many.
    """

    def __init__(self, per_minute: int) -> None:
        self._limit = parse(f"{per_minute}/minute")
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def allows(self, client: str) -> bool:
        """Count a request, and tell whether it is within the limit."""
        return self._limiter.hit(self._limit, client)


class RateGuard:
    """Counts every submission of a client before its body is looked at.

    Args:
        app: The app.
        per_minute: Submissions that one client may make in any minute; beyond it gets 429.
    """

    def __init__(self, app: ASGIApp, *, per_minute: int) -> None:
        self._app = app
        self._limit = RateLimit(per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope.get("method") == "POST" and not self._limit.allows(client_of(scope)):
            refusal = _refuse(429, "Too many articles in a minute.", {"Retry-After": "60"})
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class TokenGuard:
    """Asks for a token: as `Authorization: Bearer`, or as the password a browser asks for.

    Args:
        app: The app.
        token: The token.
    """

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and not hmac.compare_digest(_shown_token(scope), self._token):
            asks = {"WWW-Authenticate": 'Basic realm="sidelight", charset="UTF-8"'}
            await _refuse(401, "The token is missing or wrong.", asks)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class ClientAddress:
    """Takes a proxy's word for where a request came from, if it is a plain address.

    Args:
        app: The app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and _is_loopback(client_of(scope)):
            forwarded = _header(scope, b"x-forwarded-for").rpartition(b",")[2].strip()
            try:
                address = ipaddress.ip_address(forwarded.decode("ascii"))
            except ValueError:
                pass
            else:
                scope["client"] = (str(address), 0)
        await self._app(scope, receive, send)


def client_of(scope: Scope) -> str:
    """Return the address a request came from."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def media_type(headers: Headers) -> str:
    """Return the media type of a body, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_of_another_site(headers: Headers) -> bool:
    if site := headers.get("sec-fetch-site"):
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host", "")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _header(scope: Scope, name: bytes) -> bytes:
    found: list[bytes] = [value for key, value in scope["headers"] if key == name]
    return found[-1] if found else b""


def _shown_token(scope: Scope) -> bytes:
    kind, _, value = _header(scope, b"authorization").partition(b" ")
    if kind.lower() != b"basic":
        return value.strip() if kind.lower() == b"bearer" else b""
    try:
        return base64.b64decode(value, validate=True).partition(b":")[2]
    except binascii.Error:
        return b""


def _refuse(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(
        {"detail": message}, status, headers={"Connection": "close"} | dict(headers or {})
    )
