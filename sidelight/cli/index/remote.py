"""`sidelight index remote`: a folder that stands for an index on a server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import err, out
from sidelight.cli.options.results import output_option


def remote(
    url: Annotated[str, typer.Argument(help="Address of the server, e.g. http://localhost:8081.")],
    name: Annotated[str, typer.Argument(help="What the server calls the index.")],
    output: Annotated[Path, output_option("Folder that is to stand for it.")],
    token_variable: Annotated[
        str, typer.Option(help="Environment variable with the access token, if one is needed.")
    ] = "PYSERINI_API_TOKEN",  # noqa: S107 - its name, not the token
    at_once: Annotated[
        int, typer.Option("--connections", min=1, max=64, help="Requests under way at once.")
    ] = 4,
    timeout_s: Annotated[
        float, typer.Option("--timeout", help="Longest wait for an answer, in seconds.")
    ] = 60.0,
    dense: Annotated[
        Path | None,
        typer.Option(help="Local index with vectors of the same segments, for hybrid retrieval."),
    ] = None,
) -> None:
    """Search an index that a Pyserini or Anserini REST server keeps.

    Where a command takes --index, it takes this folder. Nothing is asked now; what the server
    answers later is kept in the folder and not asked for again.
    """
    from pydantic import ValidationError

    from sidelight.errors import UsageError
    from sidelight.index.folder import open_folder
    from sidelight.index.remote.address import RemoteAddress, is_remote, write_address

    try:
        address = RemoteAddress(
            url=url,
            index=name,
            token_variable=token_variable,
            at_once=at_once,
            timeout_s=timeout_s,
            dense="" if dense is None else str(dense.absolute()),
        )
    except ValidationError as error:
        problem = error.errors()[0]
        raise UsageError(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].removeprefix('Value error, ')}",
            remedy="For example: sidelight index remote http://localhost:8081 NAME -o FOLDER",
        ) from None
    if output.exists() and any(output.iterdir()) and not is_remote(output):
        raise UsageError(
            f"{output}: expected a new folder; found one with other files",
            remedy="Name another folder.",
        )
    if dense is not None:
        open_folder(dense)
    write_address(output, address)
    if address.plain_text and os.environ.get(token_variable):
        err.print(
            f"The token in {token_variable} will travel to {address.url} unencrypted, because that "
            "is what the address says.",
            markup=False,
        )
    out.print(f"{output}: {name} at {address.url}", markup=False)
