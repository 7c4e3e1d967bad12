"""Options of every command that asks a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

REPLIES = "replies"
"""Folder of replies within the output folder of a command that judges."""

BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        envvar="OPENAI_BASE_URL",
        help="Where the model server's API begins, e.g. http://localhost:8000/v1.",
    ),
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Replay the cache; refuse to ask a server.")
]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Stop before more calls than this.")
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", min=0, help="Stop before more tokens, read and written."),
]

# Of commands that judge.
DEFAULT_AT_ONCE = 256
AtOnce = Annotated[int, typer.Option("--at-once", min=1, help="Calls under way at once.")]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", help=f"Folder of a model's replies; OUTPUT/{REPLIES} if not given."),
]
