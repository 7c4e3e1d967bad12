"""The package as its source shows it: modules, and who imports whom at which line."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import sidelight

if TYPE_CHECKING:
    from collections.abc import Iterable

PACKAGE = Path(sidelight.__file__).parent


class Module(NamedTuple):
    """One file of the package.

    Attributes:
        name: Dotted, without `sidelight.`; a package goes by its own name, the root by "".
        path: Where it is.
        tree: Its syntax.
    """

    name: str
    path: Path
    tree: ast.Module

    def at(self, line: int) -> str:
        """Return the place of a line, as a compiler would name it."""
        return f"sidelight/{self.path.relative_to(PACKAGE)}:{line}"


class Import(NamedTuple):
    """One name that a module imports, at whatever depth and under whatever condition.

    Attributes:
        target: Dotted: a module of the package without `sidelight.`, or a foreign one.
        own: Whether it is one of the package's.
        line: Where it stands.
    """

    target: str
    own: bool
    line: int


@cache
def modules() -> dict[str, Module]:
    """Return every module of the package by its name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return found


@cache
def imports(name: str) -> tuple[Import, ...]:
    """Return what a module imports, inside functions and under TYPE_CHECKING too."""
    found = []
    for node in ast.walk(modules()[name].tree):
        if isinstance(node, ast.Import):
            found += [_resolve(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{modules()[name].at(node.lineno)}: relative import"
            found += [
                _resolve(_named(str(node.module), alias.name), node.lineno) for alias in node.names
            ]
    return tuple(found)


def listed(findings: Iterable[str]) -> str:
    """Return findings as a failing test shows them: all, one a line."""
    return "\n".join(["", *sorted(findings)])


def _named(module: str, name: str) -> str:
    """What `from module import name` names: a module in a package, or a thing in a module."""
    dotted = f"{module}.{name}"
    return dotted if _own_name(dotted) in modules() else module


def _own_name(dotted: str) -> str | None:
    top, _, rest = dotted.partition(".")
    return rest if top == "sidelight" else None


def _resolve(dotted: str, line: int) -> Import:
    own = _own_name(dotted)
    return Import(dotted if own is None else own, own is not None, line)
