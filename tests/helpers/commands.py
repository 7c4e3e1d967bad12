"""All commands of the program, as the program itself lists them, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from sidelight.cli.main import app


def subcommands(command: Any) -> dict[str, Any]:
    """Return the commands of a group by name, those of other packages too; none of a command."""
    if not isinstance(command, TyperGroup):
        return {}
    context = typer.Context(command)
    return {name: command.get_command(context, name) for name in command.list_commands(context)}


def _commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    found = subcommands(command)
    for name, one in found.items():
        yield from _commands(one, (*words, name))
    if not found:
        yield words, command


COMMANDS = dict(_commands(typer.main.get_command(app)))
"""Words, such as `("index", "build")`, -> the command."""

_HOW_FAR = re.compile(r"(?m)^(?:\w+: [\d,]+ (?:of [\d,]+ )?after|at work for) .*\n")


def complaints(errors: str) -> str:
    """Return what a command said on stderr, less how far it is once a minute."""
    return _HOW_FAR.sub("", errors)
