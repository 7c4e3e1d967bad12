"""Groups of commands, and options for inputs, outputs and sampling.

An option has one spelling and is declared once. Where commands read the same kind of thing for
different ends, a function takes the words of its help. A command line gives it once, unless its
help says to repeat it.
"""

from __future__ import annotations

import inspect
import re
import sys
from contextlib import ExitStack, redirect_stdout
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from sidelight.cli.console import Result, deliver
from sidelight.errors import UsageError
from sidelight.text import finite_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.tracks import Track as TrackRules

_WHOLE = re.compile(r"[+-]?[0-9]+")
F = TypeVar("F", bound="Callable[..., Any]")

AGAIN = "again"
"""Attribute of a command: what calling it again does once it was interrupted."""
WITH_REPLIES = "goes on with the replies it has"
WHERE_IT_WAS = "goes on where it was"


class _Command(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _check_once(self, ctx, args)
        return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A group of commands as the command line parses it; see `Commands`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what is given to the group itself, each option at most once."""
        _check_once(self, ctx, args)
        return super().parse_args(ctx, args)


class Commands(typer.Typer):
    """A group of commands that refuse an option given twice of which the last alone would count.

    A command that returns a `Result` has `--json`, and its result is delivered.

    Args:
        cls: The group.
        options: Those of `typer.Typer`.
    """

    def __init__(self, *, cls: type[Group] = Group, **options: Any) -> None:
        super().__init__(cls=cls, **options)

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = _Command, **options: Any
    ) -> Callable[[F], F]:
        """Return what adds a function to the group as a command; see `typer.Typer.command`."""
        add = super().command(name, cls=cls, **options)

        def add_delivered(command: F) -> F:
            signature = inspect.signature(command, eval_str=True)
            returns_result = signature.return_annotation is Result
            add(_delivered(command, signature) if returns_result else command)
            return command

        return add_delivered


def _delivered(command: Callable[..., Result], signature: inspect.Signature) -> Callable[..., None]:
    """Give a command `--json`, and deliver what it returns.

    Under `--json`, whatever it prints while it works goes to stderr: stdout has the document alone.
    """

    @wraps(command)
    def with_delivery(*, wants_json: bool, **given: Any) -> None:
        with ExitStack() as redirected:
            if wants_json:
                redirected.enter_context(redirect_stdout(sys.stderr))
            result = command(**given)
        deliver(result, wants_json=wants_json)

    option = inspect.Parameter(
        "wants_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json
    )
    # Typer calls a command by the names of its options.
    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in signature.parameters.values()
    ]
    set_options(with_delivery, signature.replace(parameters=[*parameters, option]))
    return with_delivery


def set_options(command: Callable[..., Any], signature: inspect.Signature) -> None:
    """Let typer read the options of a function from a signature that it has not got itself."""
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}


def interrupted(then: str) -> Callable[[F], F]:
    """Say in the help of a command, and when it is interrupted, what calling it again does.

    Args:
        then: What the same command does then, such as "goes on where it was".
    """

    def add(command: F) -> F:
        said = inspect.cleandoc(command.__doc__ or "")
        paragraph = " " if "\n\n" in said else "\n\n"
        again = f"the same command {then}."
        command.__doc__ = f"{said}{paragraph}Interrupted at any moment, {again}"
        setattr(command, AGAIN, f"T{again[1:]}")
        return command

    return add


def _check_once(command: Any, context: Any, arguments: list[str]) -> None:
    """Raise UsageError where a value would be dropped, or a number be read that is none."""
    if context.resilient_parsing:  # what a shell completes
        return
    found, _, given = command.make_parser(context).parse_args(args=list(arguments))
    kinds = get_type_hints(command.callback) if command.callback else {}
    for option in given:
        values = found.get(option.name)
        for value in values if isinstance(values, list | tuple) else [values]:
            _check_number(option, kinds.get(option.name), value)
        takes_one = option.param_type_name == "option" and not (option.multiple or option.is_flag)
        if takes_one and (count := given.count(option)) > 1:
            raise UsageError(
                f"expected {option.opts[0]} once; found it {count} times",
                remedy="Only the last would count. Keep one, with all it is to name.",
            )


def _check_number(option: Any, kind: object, value: object) -> None:
    """Raise UsageError where Python would read a number that is not one in ASCII digits."""
    whole = kind in (int, int | None, list[int], list[int] | None)
    if not isinstance(value, str) or not (whole or kind in (float, float | None)):
        return
    if finite_number(value) is None or (whole and not _WHOLE.fullmatch(value)):
        name = option.opts[0] if option.param_type_name == "option" else option.name
        expected = "a whole number" if whole else "a number"
        raise UsageError(f"expected {expected} in digits for {name}; found {value!r}")


def track_option(what: str) -> Any:
    """Return `--track`."""
    return typer.Option("--track", help=what)


Config = Annotated[
    Path | None, typer.Option("--config", help="YAML file of differences from the defaults.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one setting: retrieval.k=50; `settings` lists them."),
]
Track = Annotated[str, track_option("The track whose rules apply.")]
HitsPerQuery = Annotated[int, typer.Option("--k", min=1, help="Hits per query.")]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        help="How vectors are kept: exact, cpu-24gb, cpu-128gb, gpu-80gb, gpu-141gb, or none for "
        "BM25 alone; `sidelight index plan` says what each takes.",
    ),
]
DIM = typer.Option(
    "--dim", min=1, help="How many numbers a vector has; its model must allow it to be cut."
)


def run_option(what: str = "Search results, six columns; repeat.") -> Any:
    """Return `--run`."""
    return typer.Option("--run", help=what)


def qrels_option(what: str = "Relevance labels, four columns.") -> Any:
    """Return `--qrels`."""
    return typer.Option("--qrels", help=what)


def query_option(what: str) -> Any:
    """Return `--query`."""
    return typer.Option("--query", help=what)


def count_option(what: str, most: int | None = None) -> Any:
    """Return `--count`."""
    return typer.Option("--count", min=1, max=most, help=what)


def labels_option(what: str) -> Any:
    """Return `--labels`."""
    return typer.Option("--labels", help=what)


RUN = run_option()
QRELS = qrels_option()


def index_option(what: str = "Folder made by `sidelight index build`.") -> Any:
    """Return `--index`."""
    return typer.Option("--index", help=what)


def topics_option(what: str = "Topics file (JSONL of articles).") -> Any:
    """Return `--topics`."""
    return typer.Option("--topics", help=what)


def rubrics_option(what: str = "Folder of rubrics (*.json).") -> Any:
    """Return `--rubrics`."""
    return typer.Option("--rubrics", help=what)


def data_option(what: str) -> Any:
    """Return `--data`."""
    return typer.Option("--data", help=what)


def nuggets_option(what: str) -> Any:
    """Return `--nuggets`."""
    return typer.Option("--nuggets", help=what)


TrackWithNuggets = Annotated[
    str | None, track_option("A track with nuggets; the first if not given.")
]


def track_of_scale(scale: str, name: str | None) -> TrackRules:
    """Return a track that has a scale of labels.

    Args:
        scale: Of what, as `Track.scales` has it.
        name: Of the track; None for the first that has the scale.

    Raises:
        UsageError: There is no such track, or it has no such scale.
    """
    from sidelight.registry import names
    from sidelight.tracks import load_track

    tracks = [load_track(one) for one in ([name] if name else names("track"))]
    found = next((one for one in tracks if scale in one.scales), None)
    if found is None:
        raise UsageError(f"the track {name} has no labels of {scale}")
    return found


AllowPlugin = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-plugin",
        help="Let the run name this part, module:Class, which is not registered, and import it: "
        "its code runs. Repeat for more.",
    ),
]


def queries_option(what: str) -> Any:
    """Return `--queries`."""
    return typer.Option("--queries", help=what)


Data = Annotated[
    Path | None, data_option("Folder laid out as the organizers' data: has what no option names.")
]
Rubrics = Annotated[Path | None, rubrics_option()]
CoveredTopics = Annotated[
    Path | None, topics_option("Topics file that runs must cover; the track's by default.")
]
RetrievalMeasures = Annotated[
    str, typer.Option("--measures", help="Names of ir_measures, separated by spaces.")
]
CitedIndex = Annotated[
    Path | None, index_option("Index folder; every cited segment must be in it.")
]


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Samples = Annotated[int, typer.Option("--samples", min=100, help="How often chance is drawn anew.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of these draws.")]


def output_option(what: str) -> Any:
    """Return `--output`, short `-o`: where every command that writes does so."""
    return typer.Option("--output", "-o", help=what)


Output = Annotated[
    Path | None, output_option("Folder for tables (CSV, LaTeX) and figures (SVG, PNG).")
]
