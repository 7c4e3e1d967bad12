"""The `sidelight` command: collects the commands and maps errors to exit codes.

Exit codes: 0 done, 1 the input is at fault, 2 wrong usage, 3 the environment is at fault, 4 a
defect of sidelight, 130 interrupted.
Command modules import torch, the JVM and langgraph inside their functions, so help is instant.
"""

from __future__ import annotations

import ast
import gc
import os
import platform
import sys
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from sidelight.cli import agree, assess, bank, index, pool, rubric, score
from sidelight.cli.ablate import ablate
from sidelight.cli.console import AGAIN, INTERRUPTED, Commands, Group
from sidelight.cli.demo import demo
from sidelight.cli.doctor import app as prompt
from sidelight.cli.doctor import doctor
from sidelight.cli.grade import grade
from sidelight.cli.index import fuse, search
from sidelight.cli.judge import audit, evaluate, judge
from sidelight.cli.progress import progress_lines
from sidelight.cli.run import link, run, settings, split
from sidelight.cli.validate import bundle, pack, schema, validate, verify
from sidelight.cli.view import mcp, read, serve, view
from sidelight.errors import INSTALL, InputError, MachineError, SidelightError
from sidelight.files import RefusedFileError
from sidelight.registry import load, locate, names, part_at_fault
from sidelight.versions import VERSION, switch_off_telemetry

# Files become hundreds of thousands of values that live to the end. With the usual 700, half the
# time of reading them goes into looking for garbage among them.
_VALUES_BETWEEN_COLLECTIONS = 100_000

_DEFECT = 4
# A path that leads to no file, or to a folder where a file is wanted, or the reverse.
_NO_SUCH_FILE = (
    FileNotFoundError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    RefusedFileError,
)
_TRACEBACK = "SIDELIGHT_TRACEBACK"

_PACKAGES = "From other packages"


class _Commands(Group):
    """The commands of sidelight, then those that packages offer: they are imported when called."""

    listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        offered = (one for one in names("command") if one not in own)
        return [*own, *(one for one in offered if _said(one) is not None)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is not None or cmd_name not in names("command"):
            return found
        alone = Commands(add_completion=False)
        command = _listed(_said(cmd_name)) if self.listing else load("command", cmd_name)
        alone.command(cmd_name, rich_help_panel=_PACKAGES)(command)
        return typer.main.get_command(alone)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.listing = False


def _listed(said: str | None) -> Callable[[], None]:
    """Return what stands for a command where it is only listed."""

    def command() -> None: ...

    command.__doc__ = said
    return command


def _said(name: str) -> str | None:
    """Return what a command says that it does, read from its source; None if there is none."""
    try:
        module, _, function = locate("command", name).partition(":")
        found = find_spec(module)
        source = found and found.loader.get_source(module)  # type: ignore[union-attr]
        tree = ast.parse(source or "")
    except (SidelightError, ImportError, AttributeError, ValueError, SyntaxError):
        return None
    functions = (one for one in tree.body if isinstance(one, ast.FunctionDef))
    return next((ast.get_docstring(one) or "" for one in functions if one.name == function), None)


app = Commands(
    cls=_Commands,
    name="sidelight",
    help="Lateral reading for news: questions to ask, a cited report, and scores for both.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from sidelight.versions import installed_versions

        # What a bug report needs: the first line for machines, the rest for people.
        typer.echo(f"sidelight {VERSION}")
        typer.echo(f"Python {platform.python_version()}, {platform.platform()}")
        for name, found in installed_versions().items():
            typer.echo(f"{name} {found}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show version information."
        ),
    ] = False,
) -> None:
    del version


_RUNS = "Make runs"
app.command(rich_help_panel=_RUNS)(demo)
app.command(rich_help_panel=_RUNS)(read)
app.command(rich_help_panel=_RUNS)(run)
app.command(rich_help_panel=_RUNS)(split)
app.command(rich_help_panel=_RUNS)(ablate)
app.command(rich_help_panel=_RUNS)(settings)
app.add_typer(prompt, name="prompt", rich_help_panel=_RUNS)

_JUDGE = "Judge and score"
app.command(rich_help_panel=_JUDGE)(judge)
app.command(rich_help_panel=_JUDGE)(evaluate)
app.command(rich_help_panel=_JUDGE)(audit)
app.command(rich_help_panel=_JUDGE)(grade)
app.command(rich_help_panel=_JUDGE)(bank.nuggets)
app.add_typer(score.app, name="score", rich_help_panel=_JUDGE)
agree.app.command()(agree.grades)
agree.app.command()(agree.norms)
agree.app.command()(agree.vote)
app.add_typer(agree.app, name="agree", rich_help_panel=_JUDGE)
app.add_typer(bank.app, name="bank", rich_help_panel=_JUDGE)
app.add_typer(rubric.app, name="rubric", rich_help_panel=_JUDGE)
assess.app.command()(assess.relevance)
app.add_typer(assess.app, name="assess", rich_help_panel=_JUDGE)
pool.app.command()(pool.pairs)
app.add_typer(pool.app, name="pool", rich_help_panel=_JUDGE)

_SEARCH = "Index and search"
app.add_typer(index.corpus_app, name="corpus", rich_help_panel=_SEARCH)
app.add_typer(index.app, name="index", rich_help_panel=_SEARCH)
app.command(rich_help_panel=_SEARCH)(search)
app.command(rich_help_panel=_SEARCH)(fuse)

_PUBLISH = "Look and publish"
app.command(rich_help_panel=_PUBLISH)(view)
app.command(rich_help_panel=_PUBLISH)(serve)
app.command(rich_help_panel=_PUBLISH)(mcp)
app.command(rich_help_panel=_PUBLISH)(validate)
app.command(rich_help_panel=_PUBLISH)(schema)
app.command(rich_help_panel=_PUBLISH)(pack)
app.command(rich_help_panel=_PUBLISH)(link)
app.command(rich_help_panel=_PUBLISH)(bundle)
app.command(rich_help_panel=_PUBLISH)(verify)

app.command(rich_help_panel="This machine")(doctor)


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(_VALUES_BETWEEN_COLLECTIONS)
    switch_off_telemetry()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # names of files may be other bytes than UTF-8
            stream.reconfigure(errors="backslashreplace")
    try:
        with progress_lines():
            app()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            typer.echo(f"Interrupted. {_what_next(sys.argv[1:])}", err=True)
        raise
    except SidelightError as error:
        _fail(error)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("sidelight"):
            _report(error)
        _fail(
            MachineError(
                f"this command needs the package {error.name!r}, which is not installed",
                remedy=INSTALL,
            )
        )
    except _NO_SUCH_FILE as error:
        _fail(InputError(f"{error.filename}: {error.strerror}"))
    except OSError as error:  # a full disk, a folder that may not be written to
        _fail(MachineError(str(error)))
    except MemoryError:
        _fail(MachineError("there is not enough memory for this"))
    except Exception as error:  # nobody foresaw it; a traceback would tell a user nothing
        _report(error)


def _what_next(words: list[str]) -> str:
    """Return what calling an interrupted command again does, as its help says."""
    command: Any = typer.main.get_command(app)
    context = typer.Context(command)
    for word in words:
        found = command.get_command(context, word) if isinstance(command, TyperGroup) else None
        if found is None:
            break
        command = found
    return getattr(
        command.callback, AGAIN, "No file is half written; the same command begins anew."
    )


def _report(error: Exception) -> NoReturn:
    """Say what a report of a defect needs: what happened and where, without any content."""
    if os.environ.get(_TRACEBACK) == "1":
        traceback.print_exception(error)
    if part := part_at_fault(error):
        _fail(
            InputError(
                f"{part} failed: {type(error).__name__}: {error}",
                remedy="That part does not belong to sidelight: mend it, or tell its author.",
            )
        )
    places = [
        f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)[-4:]
    ]
    typer.secho(
        f"error: a defect of sidelight {VERSION}: {type(error).__name__} at {', '.join(places)}\n"
        "Please report this line, the command and, if you may, the file it was given; "
        f"{_TRACEBACK}=1 shows more.",
        fg="red",
        err=True,
    )
    sys.exit(_DEFECT)


def _fail(error: SidelightError) -> NoReturn:
    typer.secho(f"error: {error}", fg="red", err=True)
    sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
