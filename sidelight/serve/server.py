"""HTTP server around the app, which closes idle connections and limits their number."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    from fastapi import FastAPI

_SILENCE_S = 10.0
_KEEP_ALIVE_S = 5
_CONNECTIONS = 1000
_CONNECTIONS_OF_A_CLIENT = 200
_STOP_S = 5


class _ImpatientProtocol(H11Protocol):
    """Closes a connection whose next request head does not arrive in time, or a client's 201st."""

    _connections: ClassVar[Counter[str]] = Counter()
    _silence: asyncio.TimerHandle | None = None
    _peer = ""
    _refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        self._peer = str(peer[0]) if isinstance(peer, tuple) else ""
        if self._connections[self._peer] >= _CONNECTIONS_OF_A_CLIENT:
            # Before it counts among the connections of all, which thousands at once would exhaust.
            self._refused = True
            transport.abort()
            return
        super().connection_made(transport)
        self._connections[self._peer] += 1
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._refused:
            return
        super().connection_lost(exc)
        self._connections[self._peer] -= 1
        if not self._connections[self._peer]:
            del self._connections[self._peer]
        if self._silence is not None:
            self._silence.cancel()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    @property
    def _is_waiting(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        """Begin to wait for a request, however few of its bytes come at a time, or stop waiting."""
        if not self._is_waiting and self._silence is not None:
            self._silence.cancel()
            self._silence = None
        elif self._is_waiting and self._silence is None:
            self._silence = self.loop.call_later(_SILENCE_S, self._end_silence)

    def _end_silence(self) -> None:
        self._silence = None
        if self._is_waiting:
            self.transport.close()


def make_config(app: FastAPI, host: str, port: int) -> uvicorn.Config:
    """Return how to serve; requests are logged by address and path, without their content."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=_ImpatientProtocol,
        ws="none",
        limit_concurrency=_CONNECTIONS,
        # It would log and count whatever a client writes into the header; the app reads it itself.
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_STOP_S,
        server_header=False,
        log_level="info",
    )


def serve_app(app: FastAPI, host: str, port: int) -> None:
    """Serve until interrupted."""
    uvicorn.Server(make_config(app, host, port)).run()
