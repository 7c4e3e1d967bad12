"""`sidelight index remote`: a folder that stands for an index on a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out
from sidelight.cli.options.results import output_option


def remote(  # long: half of it are its options
    url: Annotated[str, typer.Argument(help="Address of the server, e.g. http://localhost:8081.")],
    name: Annotated[str, typer.Argument(help="What the server calls the index.")],
    output: Annotated[Path, output_option("Folder that is to stand for it.")],
    token_variable: Annotated[
        str | None,
        typer.Option(
            help="Let this server receive the token in this environment variable, such as "
            "PYSERINI_API_TOKEN; none by default."
        ),
    ] = None,
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
    answers later is kept in the folder and not asked for again. The folder names no token: which
    server may receive one is kept in your own tokens.json, where --token-variable writes it.
    """
    from pydantic import ValidationError

    from sidelight.errors import UsageError
    from sidelight.index.folder import open_folder
    from sidelight.index.remote.address import (
        RemoteAddress,
        allow_token,
        is_remote,
        write_address,
    )

    try:
        address = RemoteAddress(
            url=url,
            index=name,
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
    if token_variable is not None:
        allow_token(address, token_variable)
    write_address(output, address)
    out.print(f"{output}: {name} at {address.url}", markup=False)
