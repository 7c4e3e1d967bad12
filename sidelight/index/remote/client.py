"""JSON client for index servers, with bounds on time, size, retries and rate, and its settings.

The server may be slow, busy or hostile: see `transport` for the bounds of an answer. A token is
sent only where the user allows it, and is removed from whatever the server says.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import weakref
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from shlex import quote as quote_word
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import orjson
from pydantic import Field, TypeAdapter, ValidationError, field_validator

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.files import as_json, atomic_write, read_limited
from sidelight.formats.lines import Findings, readable
from sidelight.schemas.base import Value
from sidelight.text import one_line
from sidelight.transport import (
    bounded_client,
    check_private,
    is_server,
    proxy_for,
    redacted,
    secret_for,
)

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

ADDRESS = "remote.json"


class RemoteAddress(Value):
    """An index on a server that speaks the REST API of Anserini and Pyserini.

    It may come from somebody else, so it names no token: `token_variable` does.

    Attributes:
        url: Where the server is, without the `/v1` of its API; a secret in it is refused.
        timeout_s: Longest wait for one whole answer, in seconds.
        dense: Folder of a local index with the vectors of the same segments; empty if none.
    """

    url: str
    index: str = Field(pattern=r"^[A-Za-z0-9._/-]{1,200}$")
    at_once: int = Field(4, ge=1, le=64)
    timeout_s: float = Field(60.0, gt=0, le=3600)
    dense: str = ""

    @field_validator("url", "dense")
    @classmethod
    def _can_be_shown(cls, text: str) -> str:
        if not text.isprintable():
            raise ValueError("expected text without control characters")
        return text

    @field_validator("index")
    @classmethod
    def _stays_below(cls, name: str) -> str:
        if {"", ".", ".."} & set(name.split("/")):
            raise ValueError("expected the name of an index, not a way to another place")
        return name

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        if not is_server(url):
            raise ValueError("expected the address of a server, such as http://localhost:8081")
        parts = urlsplit(url)
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "expected an address without a user, a password or parameters; a token belongs in "
                "an environment variable"
            )
        return url.rstrip("/").removesuffix("/v1")


def is_remote(folder: Path) -> bool:
    """Tell whether a folder stands for an index on a server."""
    return (folder / ADDRESS).is_file()


def read_address(folder: Path) -> RemoteAddress:
    """Read what a folder says about its server."""
    path = folder / ADDRESS
    with readable(path):
        content = read_limited(path)
    try:
        return RemoteAddress.model_validate_json(content, strict=True)
    except ValidationError as error:
        what, remedy = "a server's address", "Make it again: sidelight index remote"
        raise Findings(path).invalid(error, None, what, remedy) from error


def write_address(folder: Path, address: RemoteAddress) -> None:
    """Write the file that makes a folder stand for an index on a server."""
    atomic_write(folder / ADDRESS, as_json(address.model_dump()))


def tokens_file() -> Path:
    """Return the user's own list of the addresses that may receive a token.

    JSON: address of a server -> environment variable that holds its token.
    """
    configured = os.environ.get("XDG_CONFIG_HOME")
    return Path(configured or Path.home() / ".config") / "sidelight" / "tokens.json"


def token_variable(address: RemoteAddress) -> str | None:
    """Return the environment variable with the token of a server; None if it may receive none."""
    return _allowed().get(address.url)


def allow_token(address: RemoteAddress, variable: str) -> None:
    """Note that a server may receive the token in an environment variable.

    UsageError is raised if `variable` cannot be the name of a variable, or if the address is
    unencrypted and another machine's.
    """
    _check_variable(address, variable)
    allowed = {**_allowed(), address.url: variable}
    atomic_write(tokens_file(), as_json(allowed))


def _check_variable(address: RemoteAddress, variable: str) -> None:
    check_private(address.url, variable)
    if not variable.isidentifier() or not variable.isascii():
        raise UsageError(
            f"--token-variable {variable!r}: expected the name of an environment variable",
            remedy="Name the variable, not the token: --token-variable PYSERINI_API_TOKEN",
        )


def _allowed() -> dict[str, str]:
    path = tokens_file()
    try:
        return TypeAdapter(dict[str, str]).validate_json(read_limited(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise InputError(
            f"{path}: expected the addresses that may receive a token, each with the name of an "
            "environment variable, in JSON; found something else",
            remedy="Mend or remove the file, then allow addresses again: sidelight index remote "
            "URL NAME -o FOLDER --token-variable VARIABLE",
        ) from error


MAX_ANSWER_BYTES = 64 << 20

_TRIES = 6
_FIRST_WAIT_S = 0.5
# What a server may make everybody wait at a time; one that asks for more is said to be busy.
_MAX_WAIT_S = 120.0
_CONNECT_S = 10.0
_PASSING = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}
_DENIED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
_MAX_SAID = 300


class RestClient:
    """Gets JSON from one index of a server, from any thread.

    No more requests than the address allows are under way at once. Where the server says that it
    is busy, none is sent before the time it names, or else before twice the last wait. Of the
    environment only the settings of a proxy are read. UsageError is raised if the token would
    travel unencrypted to another machine, or if `variable` is not set.

    Args:
        address: The server, and what it is asked for.
        variable: Environment variable with the token, before `allow_token` has noted it; see there.

    Attributes:
        denied: Whether the server wants another token, or another address to be asked.
    """

    def __init__(self, address: RemoteAddress, variable: str | None = None) -> None:
        from httpx2 import AsyncClient, Timeout

        if variable is not None:
            _check_variable(address, variable)
            if not os.environ.get(variable):
                raise UsageError(
                    f"--token-variable {variable}: this environment variable is not set",
                    remedy=f"Set it first: export {variable}=...",
                )
        self.address = address
        self._variable = variable or token_variable(address)
        self._token = secret_for(address.url, self._variable) if self._variable else ""
        self._client = bounded_client(
            AsyncClient,
            MAX_ANSWER_BYTES,
            timeout=Timeout(address.timeout_s, connect=min(_CONNECT_S, address.timeout_s)),
            trust_env=False,
            proxy=proxy_for(address.url),
            headers={"Accept": "application/json"}
            | ({"Authorization": f"Bearer {self._token}"} if self._token else {}),
        )
        weakref.finalize(self, _close, self._client)
        self._slots = threading.BoundedSemaphore(address.at_once)
        self._pace = threading.Lock()
        self._not_before = 0.0
        self.denied = False

    def get(self, *path: str, tries: int = _TRIES, **parameters: str | float) -> Any:
        """Return what the server says, or None where it has no such thing (404).

        It is asked `tries` times where a failure may pass. MachineError is raised if the server is
        not there, refuses the token or the request, stays busy, takes longer than it may, or sends
        something that is no JSON or too much of it.
        """
        from httpx2 import DecodingError, HTTPError, ReadTimeout

        parts = "/".join(quote(part, safe="") for part in path)
        url = f"{self.address.url}/v1/{quote(self.address.index)}/{parts}"
        wait_s, problem = _FIRST_WAIT_S, ""
        for attempt in range(tries):
            self._wait_for_turn()
            asked_s: float | None = None
            try:
                with self._slots:
                    status, body, asked_s = self._get(url, parameters)
            except DecodingError as error:
                raise self._error(
                    f"sent {self._said(str(error))}",
                    "Ask for fewer hits (retrieval.depth), or for an index of segments.",
                ) from error
            except ReadTimeout as error:
                raise self._error(
                    f"gave no answer that was whole in {self.address.timeout_s:g} s",
                    "Look at the server's load, or allow more with `sidelight index remote "
                    "--timeout`; the same command resumes.",
                ) from error
            except HTTPError as error:
                problem = self._said(str(error)) or type(error).__name__
            else:
                if status == HTTPStatus.OK:
                    return self._read(body)
                if status == HTTPStatus.NOT_FOUND:
                    return None
                problem = f"{int(status)}: {self._said(body.decode(errors='replace'))}"
                if status not in _PASSING:
                    self.denied = status in _DENIED or 300 <= status < 400
                    raise self._error(f"refused a request: {problem}", self._fix(status))
            if attempt + 1 < tries:
                pause_s = min(_MAX_WAIT_S, asked_s if asked_s is not None else wait_s)
                with self._pace:
                    self._not_before = max(self._not_before, time.monotonic() + pause_s)
                wait_s *= 2
        raise self._error(
            f"gave no answer in {tries} tries, the last time: {problem}",
            "Check that the server is running, then repeat the command to resume.",
        )

    def _get(
        self, url: str, parameters: Mapping[str, str | float]
    ) -> tuple[int, bytes, float | None]:
        """Return status, body and the wait that the server asks for, in seconds."""
        asked = self._client.get(url, params=dict(parameters))
        response: Response = asyncio.run_coroutine_threadsafe(asked, _loop()).result()
        return response.status_code, response.content, _retry_after(response)

    def _wait_for_turn(self) -> None:
        while True:
            with self._pace:
                left_s = self._not_before - time.monotonic()
            if left_s <= 0:
                return
            time.sleep(min(left_s, 1.0))

    def _read(self, body: bytes) -> Any:
        try:
            return redacted(orjson.loads(body), self._token)
        except ValueError as error:
            raise self._error(
                f"answers, but not in JSON that can be read: {error}",
                "Give the address of an Anserini or Pyserini REST server.",
            ) from error

    def _said(self, words: str) -> str:
        """Return words of a server or a library without the token, on one short line."""
        try:
            return str(redacted(one_line(words), self._token))[:_MAX_SAID]
        except ValueError as error:
            return str(error)

    def _error(self, what: str, remedy: str) -> MachineError:
        return MachineError(f"{self.address.url} {what}", remedy=remedy)

    def _fix(self, status: int) -> str:
        if status in _DENIED:
            if self._variable is None:
                return (
                    "No token was sent, since a folder cannot ask for one. If you have one for "
                    f"this server: sidelight index remote {quote_word(self.address.url)} "
                    f"{quote_word(self.address.index)} -o FOLDER --token-variable "
                    "PYSERINI_API_TOKEN"
                )
            return f"Put a valid token into the environment variable {self._variable}."
        if 300 <= status < 400:
            return "Give the address that it redirects to, if you trust that one with your token."
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return "Look at the server's log."
        return f"See whether it has an index called {self.address.index!r}."


_STARTING = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """Return what all clients of this process ask on: only there one deadline ends every wait."""
    with _STARTING:  # threads that ask at the same time would get a loop each
        return _started_loop()


@cache
def _started_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="rest", daemon=True).start()
    return loop


os.register_at_fork(after_in_child=_started_loop.cache_clear)


def _close(client: AsyncClient) -> None:
    asyncio.run_coroutine_threadsafe(client.aclose(), _loop())


def _retry_after(response: Response) -> float | None:
    """Return the wait in seconds that a server asks for, as a number or by a date to come."""
    asked = response.headers.get("Retry-After", "").strip()[:100]
    if asked.isascii() and asked.isdigit() and len(asked) < 7:
        return float(asked)
    try:
        then = parsedate_to_datetime(asked)
    except ValueError:
        return None
    left_s = (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return left_s if left_s > 0 else None
