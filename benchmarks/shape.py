"""Figures of the package's structure, and the files that a command uses.

Run with: python -m benchmarks.shape                prints the figures of the source
          python -m benchmarks.shape --trace ARGS   runs `sidelight ARGS` and lists the files whose
                                                    functions ran; imports alone do not count

A module is a Python file other than `__init__.py`. A module counts as an importer wherever it names
another one: in an import at any depth, or in a string such as "package.module:Class".
"""

from __future__ import annotations

import ast
import runpy
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import FrameType

PACKAGE = Path(__file__).resolve().parent.parent / "sidelight"
# An `__init__.py` of at most this many lines says no more than what the folder is for.
_TRIVIAL_LINES = 5


class Shape(NamedTuple):
    """The figures of a package.

    Attributes:
        modules: Number of modules.
        trivial_inits: Number of `__init__.py` files of five lines or fewer.
        lines: Lines of all files.
        import_share: Lines of import statements over all lines.
        single_importer_share: Modules that exactly one other module names, over all modules.
        rendered_twice: Occurrences of `if as_json`: results that a command prints in two ways.
        clashing_constants: Names of module constants with two values in one room, as `room:NAME`.
    """

    modules: int
    trivial_inits: int
    lines: int
    import_share: float
    single_importer_share: float
    rendered_twice: int
    clashing_constants: tuple[str, ...]


def shape(package: Path = PACKAGE) -> Shape:
    """Return the figures of a package, from its source alone."""
    paths = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts): path
        for path in sorted(package.rglob("*.py"))
    }
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    importers: dict[str, set[str]] = defaultdict(set)
    values: dict[str, set[str]] = defaultdict(set)
    import_lines = 0
    for name, text in texts.items():
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                import_lines += (node.end_lineno or node.lineno) - node.lineno + 1
            for target in _named(node, paths.keys()):
                if target != name:
                    importers[target].add(name)
        room = name.split(".")[1] if name.count(".") > 1 else "(root)"
        for constant, value in _constants(tree):
            values[f"{room}:{constant}"].add(value)
    modules = [name for name in paths if not name.endswith(".__init__")]
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    return Shape(
        modules=len(modules),
        trivial_inits=sum(lines[name] <= _TRIVIAL_LINES for name in paths.keys() - set(modules)),
        lines=sum(lines.values()),
        import_share=import_lines / sum(lines.values()),
        single_importer_share=sum(len(importers[name]) == 1 for name in modules) / len(modules),
        rendered_twice=sum(text.count("if as_json") for text in texts.values()),
        clashing_constants=tuple(sorted(name for name, found in values.items() if len(found) > 1)),
    )


def _named(node: ast.AST, modules: Any) -> list[str]:
    """Return the modules that an import or a string names."""
    if isinstance(node, ast.ImportFrom) and node.module:
        full = [f"{node.module}.{alias.name}" for alias in node.names]
        return [name if name in modules else node.module for name in full]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value.partition(":")[0]]
    return []


def _constants(tree: ast.Module) -> list[tuple[str, str]]:
    """Return the names of a module's constants, each with its value as syntax."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [
                (target.id, ast.dump(node.value))
                for target in targets
                if isinstance(target, ast.Name) and target.id.strip("_").isupper()
            ]
    return found


def files_used(arguments: list[str]) -> list[str]:
    """Run a command in this process and return the files of the package whose functions ran."""
    seen: set[str] = set()
    root = f"{PACKAGE}/"

    def importing(frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return True
            frame = frame.f_back
        return False

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Bit 1 of the flags is set for functions, not for the bodies of modules and classes.
        is_new = event == "call" and code.co_flags & 1 and code.co_filename not in seen
        if is_new and code.co_filename.startswith(root) and not importing(frame.f_back):
            seen.add(code.co_filename)

    sys.argv = ["sidelight", *arguments]
    threading.setprofile(look)
    sys.setprofile(look)
    try:
        runpy.run_module("sidelight.cli.main", run_name="__main__")
    except SystemExit as end:
        if end.code:
            print(f"the command ended with {end.code}", file=sys.stderr)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return sorted(name.removeprefix(root) for name in seen)


def main() -> None:
    """Print the figures, or the files that a command uses."""
    if sys.argv[1:2] == ["--trace"]:
        used = files_used(sys.argv[2:])
        print(f"{len(used)} files", *used, sep="\n  ")
        return
    for name, value in shape()._asdict().items():
        if isinstance(value, tuple):
            print(f"{name:24} {len(value)}: {', '.join(value)}")
        else:
            print(f"{name:24} {value:.3f}" if isinstance(value, float) else f"{name:24} {value}")


if __name__ == "__main__":
    main()
