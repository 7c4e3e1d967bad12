"""HTTP transport with bounds on the duration and the size of an answer.

The libraries' time limits are limits on silence: a byte a second would be read forever. Here an
answer must be whole within its time, from connecting to the last byte, and within a size. It is not
unpacked, and it comes from the host that was asked: a redirect would take a prompt or a token to
another one. A secret leaves this machine encrypted or not at all.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from sidelight.errors import UsageError

if TYPE_CHECKING:
    from httpx2 import AsyncByteStream, AsyncClient, Request, Response

EXAMPLE = re.compile(r"\.example(?=[:/]|$)")
"""The end of the host in an address that presets have for a user to fill in."""

_MAX_DEPTH = 64


def is_server(url: str) -> bool:
    """Tell whether a text is the address of a server that can be asked: http or https, and a host.

    The standard library raises ValueError for a bracket or a port that is none; here that is False.
    """
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return known and url.isprintable() and " " not in url


def check_server(url: str, setting: str) -> None:
    """Refuse what is no address of a server; `setting` is what it was given as."""
    if not is_server(url):
        raise UsageError(
            f"{setting}: expected the whole address of a server, such as http://localhost:8000/v1; "
            f"found {without_password(url)!r}"
        )


def without_password(url: str) -> str:
    """Return an address with `***` for the user and password in it, if it has any."""
    scheme, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    return f"{scheme}{mark}{'***' if user else ''}{at}{host}{slash}{path}"


def bounded_client(kind: Any, max_bytes: int, **options: Any) -> AsyncClient:
    """Return a client whose answers have at most `max_bytes`.

    They must be whole within its time limit for reading. `kind` is the class of client to make it
    from, `options` are those of that class.
    """
    import httpx2

    try:
        client: AsyncClient = _bounded(kind)(max_bytes, **options)
    except (ValueError, httpx2.InvalidURL) as error:
        raise UsageError(
            "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY of the environment: expected an address such as "
            f"http://HOST:PORT; found another one ({error})",
            remedy="Set it to such an address, or unset it.",
        ) from error
    return client


@cache
def _bounded(kind: Any) -> Any:
    import httpx2

    class Capped(httpx2.AsyncByteStream):
        def __init__(self, stream: AsyncByteStream, max_bytes: int) -> None:
            self._stream = stream
            self._max_bytes = max_bytes

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in self._stream:
                size += len(part)
                if size > self._max_bytes:
                    raise httpx2.DecodingError(f"an answer of more than {self._max_bytes} bytes")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    class BoundedClient(kind):  # type: ignore[misc]
        def __init__(self, max_bytes: int, **options: Any) -> None:
            super().__init__(**options, follow_redirects=False)
            self._max_bytes = max_bytes

        async def send(self, request: Request, **options: Any) -> Response:
            request.headers["Accept-Encoding"] = "identity"
            limit_s = request.extensions.get("timeout", {}).get("read")
            try:
                async with asyncio.timeout(limit_s):
                    response: Response = await super().send(
                        request, **{**options, "stream": True, "follow_redirects": False}
                    )
                    try:
                        packed = response.headers.get("Content-Encoding", "identity")
                        if packed.strip().lower() not in {"", "identity"}:
                            raise httpx2.DecodingError(
                                "a compressed answer, which was not asked for"
                            )
                        response.stream = Capped(response.stream, self._max_bytes)  # type: ignore[arg-type]
                        await response.aread()
                    finally:
                        await response.aclose()
                    return response
            except TimeoutError as error:
                raise httpx2.ReadTimeout(f"not whole in {limit_s:g} s") from error

    return BoundedClient


def proxy_for(url: str) -> str | None:
    """Return the proxy through which the environment wants a server to be asked, if any.

    `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say it; nothing else is read. This
    machine is never asked through a proxy: a token that may go to it unencrypted would leave it.
    """
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_this_machine(host) or proxy_bypass(host):
        return None
    known = getproxies()
    proxy = known.get(parts.scheme) or known.get("all")
    if not proxy:
        return None
    whole = proxy if "://" in proxy else f"http://{proxy}"
    if not is_server(whole):
        raise UsageError(
            f"the environment names a proxy for {url}: expected an address such as "
            "http://HOST:PORT; found another one",
            remedy=f"Set {parts.scheme.upper()}_PROXY to such an address, or unset it.",
        )
    return whole


def is_this_machine(host: str) -> bool:
    """Tell whether a host is that on which this runs."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_private(url: str, variable: str) -> None:
    """Refuse an address over which others could read a secret: without TLS, of another machine."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not is_this_machine(parts.hostname or ""):
        raise UsageError(
            f"{url}: expected an encrypted address, https://..., or one of this machine for the "
            f"secret in {variable}; found an unencrypted one, over which others can read it",
            remedy="Give the https address, or a tunnel to the server (ssh -L); or, if the server "
            f"needs no secret, unset {variable} for this command.",
        )


def secret_for(url: str, variable: str) -> str:
    """Return the secret that an environment variable holds for a server; empty if it is not set.

    A secret that would travel unencrypted to another machine, or cannot be sent, raises UsageError.
    """
    secret = os.environ.get(variable, "").strip()
    if secret:
        check_private(url, variable)
    if not secret.isascii() or not secret.isprintable():
        raise UsageError(
            f"the environment variable {variable}: expected a secret of letters, digits and signs "
            "on one line; found other characters",
            remedy=f"Set it again: export {variable}=...",
        )
    return secret


def redacted(value: Any, secret: str, depth: int = _MAX_DEPTH) -> Any:
    """Return what a server said, as text or as JSON, with `***` wherever it repeats a secret.

    Nothing is replaced if `secret` is empty. Nesting deeper than `depth` raises ValueError.
    """
    if not depth:
        raise ValueError(f"nested more than {_MAX_DEPTH} deep")
    if isinstance(value, list):
        return [redacted(one, secret, depth - 1) for one in value]
    if isinstance(value, dict):
        return {
            redacted(key, secret, depth - 1): redacted(one, secret, depth - 1)
            for key, one in value.items()
        }
    if not secret or not isinstance(value, str):
        return value
    if "\\" in value and value.lstrip().startswith("{"):  # JSON in JSON: escapes may hide it
        try:
            inner = orjson.loads(value)
        except orjson.JSONDecodeError:
            return value.replace(secret, "***")
        shown = redacted(inner, secret, depth - 1)
        return value if shown == inner else orjson.dumps(shown).decode()
    return value.replace(secret, "***")
