"""Where an index on a server is, and what its folder on this machine says about it."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import orjson
from pydantic import Field, TypeAdapter, ValidationError, field_validator

from sidelight.errors import InputError, UsageError
from sidelight.files import atomic_write, read_limited
from sidelight.formats.findings import Findings
from sidelight.schemas.base import Value
from sidelight.transport import check_private

ADDRESS = "remote.json"


class RemoteAddress(Value):
    """An index on a server that speaks the REST API of Anserini and Pyserini.

    It may come from somebody else, so it names no token: `token_variable` does.

    Attributes:
        url: Where the server is, without the `/v1` of its API; a secret in it is refused.
        index: What the server calls the index.
        at_once: Requests under way at once.
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
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("expected the address of a server, such as http://localhost:8081")
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
    """Read what a folder says about its server.

    Raises:
        InputError: It cannot be read.
        InvalidFileError: It says something else.
    """
    path = folder / ADDRESS
    try:
        content = read_limited(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return RemoteAddress.model_validate_json(content)
    except ValidationError as error:
        findings = Findings(path)
        findings.invalid(
            error, None, what="a server's address", remedy="Make it again: sidelight index remote"
        )
        findings.raise_errors()
        raise


def write_address(folder: Path, address: RemoteAddress) -> None:
    """Write the file that makes a folder stand for an index on a server."""
    atomic_write(
        folder / ADDRESS,
        orjson.dumps(address.model_dump(), option=orjson.OPT_INDENT_2).decode() + "\n",
    )


def tokens_file() -> Path:
    """Return the user's own list of the addresses that may receive a token.

    JSON: address of a server -> environment variable that holds its token.
    """
    configured = os.environ.get("XDG_CONFIG_HOME")
    return Path(configured or Path.home() / ".config") / "sidelight" / "tokens.json"


def token_variable(address: RemoteAddress) -> str | None:
    """Return the environment variable with the token of a server; None if it may receive none.

    Raises:
        InputError: The user's list of addresses cannot be read.
    """
    return _allowed().get(address.url)


def allow_token(address: RemoteAddress, variable: str) -> None:
    """Note that a server may receive the token in an environment variable.

    Raises:
        InputError: The user's list of addresses cannot be read.
        UsageError: The variable can have no such name, or the address is unencrypted and another
            machine's.
    """
    check_private(address.url, variable)
    if not variable.isidentifier() or not variable.isascii():
        raise UsageError(
            f"--token-variable {variable!r}: expected the name of an environment variable",
            remedy="Name the variable, not the token: --token-variable PYSERINI_API_TOKEN",
        )
    allowed = {**_allowed(), address.url: variable}
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    atomic_write(tokens_file(), orjson.dumps(allowed, option=options).decode())


def _allowed() -> dict[str, str]:
    path = tokens_file()
    try:
        return TypeAdapter(dict[str, str]).validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise InputError(
            f"{path}: expected the addresses that may receive a token, each with the name of an "
            "environment variable, in JSON; found something else",
            remedy="Mend or remove the file, then allow addresses again: sidelight index remote "
            "URL NAME -o FOLDER --token-variable VARIABLE",
        ) from error
