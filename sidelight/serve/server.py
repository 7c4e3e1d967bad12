"""The web server around the app, with an end to connections that say nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from fastapi import FastAPI

_SILENCE_S = 10.0
_KEEP_ALIVE_S = 5
_CONNECTIONS = 1000
_STOP_S = 5


class _ImpatientProtocol(H11Protocol):
    """Closes a connection on which no whole request head has arrived in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        asyncio.get_running_loop().call_later(_SILENCE_S, self._end_silence)

    def _end_silence(self) -> None:
        if self.cycle is None:
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
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_STOP_S,
        server_header=False,
        log_level="info",
    )


def serve_app(app: FastAPI, host: str, port: int) -> None:
    """Serve until interrupted."""
    uvicorn.Server(make_config(app, host, port)).run()
