"""Both packages as their source shows them: modules, and who imports whom at which line."""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

import sidelight
import sidelight_research

ROOT = Path(sidelight.__file__).parent.parent
PACKAGES = (sidelight.__name__, sidelight_research.__name__)


class Module(NamedTuple):
    """One file of the packages.

    Its name is dotted, without `sidelight.`; a package goes by its own name, the root by "". Names
    in `sidelight_research` are whole.
    """

    name: str
    path: Path
    tree: ast.Module

    def at(self, line):
        """Return the place of a line, as a compiler would name it."""
        return f"{self.path.relative_to(ROOT)}:{line}"


class Import(NamedTuple):
    """One name that a module imports, at whatever depth and under whatever condition.

    The target is a module of the packages (`own`), named as in `Module`, or a foreign one.
    """

    target: str
    own: bool
    line: int


@cache
def modules():
    """Return every module of both packages by its name."""
    found = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = _own_name(".".join(parts[:-1] if parts[-1] == "__init__" else parts)) or ""
        found[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return found


@cache
def imports(name):
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


def listed(findings):
    """Return findings as a failing test shows them: all, one a line."""
    return "\n".join(["", *sorted(findings)])


def _named(module, name):
    """What `from module import name` names: a module in a package, or a thing in a module."""
    dotted = f"{module}.{name}"
    return dotted if _own_name(dotted) in modules() else module


def _own_name(dotted):
    top, _, rest = dotted.partition(".")
    product, research = PACKAGES
    return rest if top == product else dotted if top == research else None


def _resolve(dotted, line):
    own = _own_name(dotted)
    return Import(dotted if own is None else own, own is not None, line)
