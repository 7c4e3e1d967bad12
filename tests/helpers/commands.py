"""All commands of the program, as the program itself lists them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from sidelight.cli.main import app


def _commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    found = getattr(command, "commands", {})
    for name, one in found.items():
        yield from _commands(one, (*words, name))
    if not found:
        yield words, command


COMMANDS = dict(_commands(typer.main.get_command(app)))
"""Words, such as `("index", "build")`, -> the command."""
