"""Options of the commands that ask a model, and the access to models that they describe."""

from __future__ import annotations

import inspect
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_type_hints

import typer

from sidelight.cli.console import err
from sidelight.cli.options.inputs import set_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.llm.base import Totals
    from sidelight.wiring.models import ModelAccess

T = TypeVar("T")

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


class ModelCalls(NamedTuple):
    """Where a command may ask models, and how much: the options that all of them have."""

    base_url: BaseUrl = None
    offline: Offline = False
    max_calls: MaxCalls = None
    max_tokens: MaxTokens = None

    def access(self, cache: Path) -> ModelAccess:
        """Return how the command may use models.

        Args:
            cache: Folder of replies.
        """
        from sidelight.llm.base import Budget
        from sidelight.wiring.models import ModelAccess

        return ModelAccess(
            cache=cache,
            offline=self.offline,
            base_url=self.base_url,
            budget=Budget(max_calls=self.max_calls, max_tokens=self.max_tokens),
            on_progress=lambda line: err.print(line, markup=False),
        )

    def less(self, spent: Totals) -> ModelCalls:
        """Return the same, with what is left of the limits."""
        calls, tokens = self.max_calls, self.max_tokens
        return self._replace(
            max_calls=None if calls is None else max(0, calls - spent.calls),
            max_tokens=None if tokens is None else max(0, tokens - spent.usage.total_tokens),
        )


def asks_models(command: Callable[..., T]) -> Callable[..., T]:
    """Give a command the options of `ModelCalls` in place of its parameter `calls`."""

    @wraps(command)
    def with_options(**given: Any) -> T:
        calls = ModelCalls(*(given.pop(name) for name in ModelCalls._fields))
        return command(**given, calls=calls)

    options = get_type_hints(ModelCalls, include_extras=True)
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for one in signature.parameters.values():
        if one.name == "calls":
            parameters += (
                one.replace(name=name, annotation=options[name], default=default)
                for name, default in ModelCalls._field_defaults.items()
            )
        else:
            parameters.append(one.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    set_options(with_options, signature.replace(parameters=parameters))
    return with_options
