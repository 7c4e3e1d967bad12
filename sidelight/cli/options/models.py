"""Options of every command that asks a model, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli.console import err

if TYPE_CHECKING:
    from sidelight.build.models import ModelAccess

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

Estimate = Annotated[
    bool, typer.Option("--estimate", help="Print what it would cost a model; ask nothing.")
]


def model_option(what: str) -> Any:
    """Return `--model`."""
    return typer.Option("--model", help=what)


def cache_option(what: str) -> Any:
    """Return `--cache`."""
    return typer.Option("--cache", help=what)


def parallel_option(what: str) -> Any:
    """Return `--parallel`."""
    return typer.Option("--parallel", min=1, help=what)


RunCache = Annotated[
    Path | None, cache_option("Folder of model replies; `cache` in the run directory.")
]

# Of commands that judge.
DEFAULT_AT_ONCE = 256
AtOnce = Annotated[int, typer.Option("--at-once", min=1, help="Calls under way at once.")]
Cache = Annotated[
    Path | None, cache_option(f"Folder of a model's replies; OUTPUT/{REPLIES} if not given.")
]


def model_access(
    cache: Path,
    *,
    base_url: str | None = None,
    offline: bool = False,
    max_calls: int | None = None,
    max_tokens: int | None = None,
) -> ModelAccess:
    """Return how a command may use models, as its options say."""
    from sidelight.build.models import ModelAccess
    from sidelight.llm.budget import Budget

    return ModelAccess(
        cache=cache,
        offline=offline,
        base_url=base_url,
        budget=Budget(max_calls=max_calls, max_tokens=max_tokens),
        on_progress=lambda line: err.print(line, markup=False),
    )
