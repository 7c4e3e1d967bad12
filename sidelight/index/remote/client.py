"""Ask a server for JSON, with bounds on time, size, tries and pace.

The server may be slow, busy or hostile: an answer must be whole within a time and a size, is not
unpacked, and comes from the host that was asked, since a redirect would take the token elsewhere.
"""

from __future__ import annotations

import os
import threading
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from sidelight.errors import MachineError
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx2 import Response

    from sidelight.index.remote.address import RemoteAddress

MAX_ANSWER_BYTES = 64 << 20

_TRIES = 6
_FIRST_WAIT_S = 0.5
# What a server may make everybody wait at a time; one that asks for more is said to be busy.
_MAX_WAIT_S = 120.0
_CONNECT_S = 10.0
_PASSING = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}
_MAX_SAID = 300


class RestClient:
    """Gets JSON from one index of a server, from any thread.

    No more requests than the address allows are under way at once. Where the server says that it
    is busy, none is sent before the time it names, or else before twice the last wait.

    Args:
        address: The server and its index.
    """

    def __init__(self, address: RemoteAddress) -> None:
        from httpx2 import Client, Timeout

        self._address = address
        self._token = os.environ.get(address.token_variable, "").strip()
        self._client = Client(
            timeout=Timeout(address.timeout_s, connect=min(_CONNECT_S, address.timeout_s)),
            follow_redirects=False,
            trust_env=False,
            headers={"Accept-Encoding": "identity", "Accept": "application/json"}
            | ({"Authorization": f"Bearer {self._token}"} if self._token else {}),
        )
        self._slots = threading.BoundedSemaphore(address.at_once)
        self._pace = threading.Lock()
        self._not_before = 0.0

    def get(self, *path: str, **parameters: str | float) -> Any:
        """Return what the server says, or None where it has no such thing (404).

        Args:
            path: Parts of the address below the index, each put in as it is meant.
            parameters: Of the query.

        Raises:
            MachineError: The server is not there, refuses the token or the request, stays busy, or
                says something that is no JSON or too much of it.
        """
        from httpx2 import HTTPError

        parts = "/".join(quote(part, safe="") for part in path)
        url = f"{self._address.url}/v1/{quote(self._address.index)}/{parts}"
        wait_s, problem = _FIRST_WAIT_S, ""
        for attempt in range(_TRIES):
            self._wait_for_turn()
            asked_s: float | None = None
            try:
                with self._slots:
                    status, body, asked_s = self._get(url, parameters)
            except HTTPError as error:
                problem = self._said(str(error)) or type(error).__name__
            else:
                if status == HTTPStatus.OK:
                    return self._read(body)
                if status == HTTPStatus.NOT_FOUND:
                    return None
                problem = f"{int(status)}: {self._said(body.decode(errors='replace'))}"
                if status not in _PASSING:
                    raise self._error(f"refused a request: {problem}", _fix(status, self._address))
            if attempt + 1 < _TRIES:
                self._pause(min(_MAX_WAIT_S, asked_s if asked_s is not None else wait_s))
                wait_s *= 2
        raise self._error(
            f"gave no answer in {_TRIES} tries, the last time: {problem}",
            "Look whether the server runs; the same command goes on where it was.",
        )

    def _get(
        self, url: str, parameters: Mapping[str, str | float]
    ) -> tuple[int, bytes, float | None]:
        """Return status, body and the wait that the server asks for, in seconds."""
        from httpx2 import DecodingError, ReadTimeout

        ends = time.monotonic() + self._address.timeout_s
        body = bytearray()
        with self._client.stream("GET", url, params=dict(parameters)) as response:
            packed = response.headers.get("Content-Encoding", "identity").strip().lower()
            if packed not in {"", "identity"}:
                raise DecodingError("a compressed answer, which was not asked for")
            for part in response.iter_raw():
                body += part
                if len(body) > MAX_ANSWER_BYTES:
                    raise self._error(
                        f"sent an answer of more than {MAX_ANSWER_BYTES >> 20} MiB",
                        "Ask for fewer hits (retrieval.depth), or for an index of segments.",
                    )
                if time.monotonic() > ends:
                    # The time limit of the library is one on silence: a byte a second passes it.
                    raise ReadTimeout(f"not whole in {self._address.timeout_s:g} s")
            return response.status_code, bytes(body), _retry_after(response)

    def _wait_for_turn(self) -> None:
        while True:
            with self._pace:
                left_s = self._not_before - time.monotonic()
            if left_s <= 0:
                return
            time.sleep(min(left_s, 1.0))

    def _pause(self, seconds: float) -> None:
        with self._pace:
            self._not_before = max(self._not_before, time.monotonic() + seconds)

    def _read(self, body: bytes) -> Any:
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise self._error(
                f"answers, but not in JSON: {error}",
                "Give the address of an Anserini or Pyserini REST server.",
            ) from error

    def _said(self, words: str) -> str:
        """Return words of a server or a library without the token, on one short line."""
        line = one_line(words)
        return (line.replace(self._token, "***") if self._token else line)[:_MAX_SAID]

    def _error(self, what: str, remedy: str) -> MachineError:
        return MachineError(f"{self._address.url} {what}", remedy=remedy)


def _retry_after(response: Response) -> float | None:
    """Return the wait a server asks for; one given as a date is not read."""
    asked = response.headers.get("Retry-After", "").strip()
    return float(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else None


def _fix(status: int, address: RemoteAddress) -> str:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return f"Put a valid token into the environment variable {address.token_variable}."
    if 300 <= status < 400:
        return "Give the address that it redirects to, if you trust that one with your token."
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "Look at the server's log."
    return f"See whether it has an index called {address.index!r}."
