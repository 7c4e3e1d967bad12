"""The `sidelight` command: collects the commands and maps errors to exit codes.

Exit codes: 0 done, 1 the input is at fault, 2 wrong usage, 3 the environment is at fault, 4 a
defect of sidelight, 130 interrupted, 143 terminated.
A command's module is imported when the command is called, and imports torch, the JVM and langgraph
inside its functions, so help is instant.
"""

from __future__ import annotations

import ast
import gc
import os
import platform
import re
import sys
import traceback
from collections.abc import Iterator
from errno import EEXIST, EISDIR, ENOENT, ENOTDIR
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from sidelight.cli.console import INTERRUPTED, KEPT, WHOLE_HELP, Commands, Group
from sidelight.cli.progress import interrupts_heard, progress_lines
from sidelight.errors import INSTALL, InputError, InvalidFileError, MachineError, SidelightError
from sidelight.files import RefusedFileError
from sidelight.parts import KINDS
from sidelight.registry import check_path, load, locate, names, part_at_fault
from sidelight.versions import VERSION, switch_off_telemetry

# Files become hundreds of thousands of values that live to the end. With the usual 700, half the
# time of reading them goes into looking for garbage among them.
_VALUES_BETWEEN_COLLECTIONS = 100_000

_DEFECT = 4
_SIGNALLED = 128  # plus the number of a signal: the exit code that a shell expects
# A path that leads to no file, or to a folder where a file is wanted, or the reverse.
_NO_SUCH_FILE = (
    FileNotFoundError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    RefusedFileError,
)
_TOLD: dict[int | None, str] = {
    ENOENT: "no such file or folder",
    EEXIST: "expected a folder; found a file",
    ENOTDIR: "expected a folder; found a file",
    EISDIR: "expected a file; found a folder",
}
_TRACEBACK = "SIDELIGHT_TRACEBACK"

_PACKAGES, _RESEARCH = "From other packages", "Published figures and people's labels"

# Panel of the help -> command or group -> where it is in this package.
_OWN: dict[str, dict[str, str]] = {
    "Make runs": {
        "demo": "demo:demo",
        "read": "view:read",
        "run": "run:run",
        "split": "run:split",
        "ablate": "ablate:ablate",
        "settings": "run:settings",
        "prompt": "doctor:app",
    },
    "Judge and score": {
        "judge": "judge:judge",
        "evaluate": "judge:evaluate",
        "audit": "judge:audit",
        "grade": "grade:grade",
        "nuggets": "bank:nuggets",
        "score": "score:app",
        "agree": "agree:app",
        "bank": "bank:app",
        "rubric": "rubric:app",
        "assess": "assess:app",
        "pool": "pool:app",
    },
    "Index and search": {
        "search": "index:search",
        "fuse": "index:fuse",
        "corpus": "index:corpus_app",
        "index": "index:app",
    },
    "Look and publish": {
        "view": "view:view",
        "serve": "view:serve",
        "mcp": "view:mcp",
        "validate": "validate:validate",
        "schema": "validate:schema",
        "pack": "validate:pack",
        "link": "run:link",
        "bundle": "validate:bundle",
        "verify": "validate:verify",
    },
    "This machine": {"doctor": "doctor:doctor"},
}
_PLACES = {
    name: (panel, f"sidelight.cli.{place}")
    for panel, commands in _OWN.items()
    for name, place in commands.items()
}


class _Commands(Group):
    """The commands of sidelight, then those that packages offer: each is imported when called.

    Help that lists them reads what they say from their source.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        offered = (one for one in names("command") if one not in _PLACES)
        return [*_PLACES, *(one for one in offered if _said(one) is not None)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        del ctx
        if cmd_name not in _PLACES and cmd_name not in names("command"):
            return None
        panel, place = _PLACES.get(cmd_name, (_panel(cmd_name), ""))
        found = resolve_name(place) if place else load("command", cmd_name)
        alone = Commands(add_completion=False)
        if isinstance(found, Commands):
            alone.add_typer(found, name=cmd_name, rich_help_panel=panel)
            group: Any = typer.main.get_group(alone)
            return group.commands[cmd_name]
        alone.command(cmd_name, rich_help_panel=panel)(found)
        return typer.main.get_command(alone)

    def rows_of_help(self, ctx: Any) -> Iterator[tuple[str, str, str]]:
        for name in self.list_commands(ctx):
            yield _PLACES[name][0] if name in _PLACES else _panel(name), name, _said(name) or ""


def _panel(command: str) -> str:
    return _RESEARCH if command in KINDS["command"].own else _PACKAGES


def _said(command: str) -> str | None:
    """Return the summary of a command or group, read from its source; None if there is none."""
    try:
        place = _PLACES[command][1] if command in _PLACES else locate("command", command)
        module, _, name = place.partition(":")
        found = find_spec(module)
        source = (found and found.loader.get_source(module)) or ""  # type: ignore[union-attr]
        body = _body(source, name)
    except (SidelightError, ImportError, AttributeError, ValueError, SyntaxError):
        return None
    return next((text for one in body if (text := _summary(one, name)) is not None), None)


def _body(source: str, name: str) -> list[ast.stmt]:
    """Return the statements of a module that may define a name, or all of them.

    Reading a whole module takes ten times as long as the definition alone, which two empty lines
    set off in most code.
    """
    own = re.compile(rf"^(def {name}\b|{name} =|@{name}\.callback)", re.MULTILINE)
    try:
        return ast.parse("\n\n\n".join(filter(own.search, source.split("\n\n\n")))).body
    except SyntaxError:  # two empty lines in a string
        return ast.parse(source).body


def _summary(statement: ast.stmt, name: str) -> str | None:
    """Return what a statement says of a name: a function, a group, or a group's own function."""
    match statement:
        case ast.FunctionDef(name=found, decorator_list=decorators):
            own = (ast.unparse(one).startswith(f"{name}.callback(") for one in decorators)
            said = ast.get_docstring(statement) or "" if found == name or any(own) else None
        case ast.Assign(targets=[ast.Name(id=found)], value=ast.Call(keywords=words)):
            given = {word.arg: word.value for word in words} if found == name else {}
            said = ast.literal_eval(given["help"]) if "help" in given else None
        case _:
            said = None
    return None if said is None else TyperCommand(name, help=said).get_short_help_str(WHOLE_HELP)


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


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(_VALUES_BETWEEN_COLLECTIONS)
    switch_off_telemetry()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # names of files may be other bytes than UTF-8
            stream.reconfigure(errors="backslashreplace")
    try:
        with progress_lines(), interrupts_heard() as terminated:
            app()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            typer.echo(f"Interrupted. {_what_next(sys.argv[1:])}", err=True)
            end.code = _SIGNALLED + terminated[0] if terminated else INTERRUPTED
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
        _fail(_of_path(error))
    except OSError as error:  # a full disk, a folder that may not be written to
        _fail(MachineError(str(error)))
    except MemoryError:
        _fail(MachineError("there is not enough memory for this"))
    except Exception as error:  # nobody foresaw it; a traceback would tell a user nothing
        _report(error)


def _of_path(error: OSError) -> InputError:
    """Return what is wrong with a path, and what to do about it."""
    told = _TOLD.get(error.errno)
    remedy = "Name another path." if told else ""
    if error.errno == ENOENT:
        remedy = check_path(Path(str(error.filename)))
    return InputError(f"{error.filename}: {told or error.strerror}", remedy=remedy)


def _what_next(words: list[str]) -> str:
    """Return what is kept of an interrupted command, and what it does again, as its help says."""
    command: Any = typer.main.get_command(app)
    context = typer.Context(command)
    for word in words:
        found = command.get_command(context, word) if isinstance(command, TyperGroup) else None
        if found is None:
            break
        command = found
    return getattr(
        command.callback, KEPT, "No file is half written; the same command starts again."
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
        + "".join(f"{note}\n" for note in getattr(error, "__notes__", ()))
        + "Please report this, the command and, if you may, the file it was given; "
        f"{_TRACEBACK}=1 shows more.",
        fg="red",
        err=True,
    )
    sys.exit(_DEFECT)


def _fail(error: SidelightError) -> NoReturn:
    prefix = "" if isinstance(error, InvalidFileError) else "error: "  # whose lines say it
    typer.secho(f"{prefix}{error}", fg="red", err=True)
    sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
