"""Where an index on a server is, and what its folder on this machine says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson
from pydantic import Field, ValidationError, field_validator

from sidelight.errors import InputError
from sidelight.files import atomic_write, read_limited
from sidelight.formats.findings import Findings
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "remote.json"


class RemoteAddress(Value):
    """An index on a server that speaks the REST API of Anserini and Pyserini.

    Attributes:
        url: Where the server is, without the `/v1` of its API; a secret in it is refused.
        index: What the server calls the index.
        token_variable: Environment variable with the access token, which is kept nowhere else; a
            server without tokens is asked with the variable unset.
        at_once: Requests under way at once.
        timeout_s: Longest wait for one whole answer, in seconds.
        dense: Folder of a local index with the vectors of the same segments; empty if none.
    """

    url: str
    index: str = Field(pattern=r"^[A-Za-z0-9._/-]{1,200}$")
    token_variable: str = Field("PYSERINI_API_TOKEN", pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")
    at_once: int = Field(4, ge=1, le=64)
    timeout_s: float = Field(60.0, gt=0, le=3600)
    dense: str = ""

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

    @property
    def plain_text(self) -> bool:
        """Return whether a token would travel unencrypted to another machine."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}


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
