"""What carries calls to a model server, with bounds on how long and how large a reply may be.

The SDK's time limit is one on silence: a byte a second would be read forever. Here a reply must be
whole within the limit and within a size, is not unpacked, and comes from the host that was asked:
a redirect would take the prompt to another one.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from httpx2 import AsyncByteStream, AsyncClient, Request, Response

MAX_REPLY_BYTES = 32 << 20


def bounded_client() -> AsyncClient:
    """Return a client of the SDK's own kind, with these bounds."""
    client: AsyncClient = _client_type()()
    return client


@cache
def _client_type() -> Any:
    import httpx2
    from openai import DefaultAsyncHttpxClient

    class Capped(httpx2.AsyncByteStream):
        def __init__(self, stream: AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in self._stream:
                size += len(part)
                if size > MAX_REPLY_BYTES:
                    raise httpx2.DecodingError(f"a reply of more than {MAX_REPLY_BYTES} bytes")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    class BoundedClient(DefaultAsyncHttpxClient):
        def __init__(self) -> None:
            super().__init__(follow_redirects=False)

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
                                "a compressed reply, which was not asked for"
                            )
                        response.stream = Capped(response.stream)  # type: ignore[arg-type]
                        await response.aread()
                    finally:
                        await response.aclose()
                    return response
            except TimeoutError as error:
                raise httpx2.ReadTimeout(f"not whole in {limit_s:g} s") from error

    return BoundedClient
