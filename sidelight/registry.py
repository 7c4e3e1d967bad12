"""Registry of parts: finds a part by name, imports it, and fills its constructor's parameters.

A name is one of those in `parts`, one that an installed package offers under the entry point group
`sidelight.<kind>`, or a place, `module:Class`. The first two are registered; a run or a bundle
names no place unless the user allows it. A part is imported only when it is chosen, so a missing
extra is reported by name. Its constructor says what it needs: each parameter is filled by its name
with what is on offer to parts of its kind.
"""

from __future__ import annotations

import inspect
import re
import shlex
import sys
import sysconfig
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from difflib import get_close_matches
from dis import get_instructions
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from pkgutil import resolve_name
from traceback import walk_tb
from types import CodeType, FunctionType
from typing import Any

from sidelight.errors import INSTALL, InputError, MachineError, UsageError
from sidelight.files import bundled, read_limited
from sidelight.parts import KINDS, ROLE

_MAX_SHOWN = 200
_PLACE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def names(kind: str) -> tuple[str, ...]:
    """Return all names of a kind: sidelight's own, then those of installed packages, sorted."""
    own = KINDS[kind].own
    return (*own, *sorted(_offered(kind).keys() - own.keys()))


def locate(kind: str, name: str) -> str:
    """Return the `module:Class` behind a name; nothing is imported.

    UsageError is raised for what is neither a name nor such a place, and for a name that two
    packages offer.
    """
    if name in KINDS[kind].own:
        return KINDS[kind].own[name]
    if _PLACE.fullmatch(name):
        return name
    offered = _offered(kind)
    if name in offered:
        places = sorted(offered[name])
        if len(places) > 1:
            raise UsageError(
                f"{len(places)} installed packages offer a {title(kind)} {name!r}",
                remedy=f"Say which one is meant: {' or '.join(places)}",
            )
        return places[0]
    if {":", "/", "\\"} & set(name):
        raise UsageError(
            f"{title(kind)} {name!r}: expected module:Class, as Python imports it; paths are not "
            "read",
            remedy="Install the package that has it, or put its folder on PYTHONPATH.",
        )
    raise UsageError(
        f"unknown {title(kind)} {name!r}; expected one of {', '.join(names(kind))}"
        + did_you_mean(name, names(kind)),
        remedy="A part of your own is named module:Class, or by its package's entry point.",
    )


def registered(
    kind: str, name: str, where: str, allowed: Container[str], others: Iterable[str] = ()
) -> str:
    """Return a name that a run or a bundle gives, which may be somebody else's; imports nothing.

    What users type themselves goes to `locate` and `load` at once: it is their own word that a
    module is to be imported. A name that is neither registered nor in `allowed` raises InputError;
    `where` is the file and field where it was read, for the message, and `others` are parts beside
    it that need to be allowed, too.
    """
    if name in names(kind) or name in allowed:
        return name
    shown = repr(name[:_MAX_SHOWN])
    needed = dict.fromkeys((name, *others))
    if not all(one.isprintable() and len(one) <= _MAX_SHOWN for one in needed):
        needed = dict.fromkeys(["NAME"])
    raise InputError(
        f"{where}: expected a registered {title(kind)}, one of {', '.join(names(kind))}; "
        f"found {shown}, and modules that a run names are not imported",
        remedy="Install the package that offers it; or, if you trust its code, allow it: "
        + " ".join(f"--allow-plugin {shlex.quote(one)}" for one in needed),
    )


def load(kind: str, name: str) -> Any:
    """Import and return the class behind a name; it must do what parts of this kind must."""
    place = locate(kind, name)
    module_name, _, attribute = place.partition(":")
    part = f"{title(kind)} {name!r}"
    try:
        found: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if f"{module_name}.".startswith(f"{missing}."):
            raise _no_module(part, missing) from error
        if missing.startswith("sidelight"):
            raise
        raise MachineError(
            f"{part} needs the package {missing!r}, which is not installed",
            remedy=INSTALL
            if name in KINDS[kind].own
            else f"Install it with: pip install {missing}",
        ) from error
    if name not in KINDS[kind].own:
        _OF_OTHERS.setdefault(module_name, {})[attribute] = part
    for step in attribute.split("."):
        if not hasattr(found, step):
            raise UsageError(
                f"{part}: {module_name} has no {attribute}{did_you_mean(step, dir(found))}"
            )
        found = getattr(found, step)
    protocol = KINDS[kind].protocol
    if protocol and name not in KINDS[kind].own:  # tests hold sidelight's own parts to it
        _check(part, place, found, protocol)
    return found


def _no_module(part: str, missing: str) -> UsageError:
    return UsageError(
        f"{part}: there is no module {missing!r}",
        remedy="Install the package that has it, or put its folder on PYTHONPATH.",
    )


def code_of(kind: str, name: str) -> str:
    """Return a hash of somebody else's part, so that results made with other code are noticed.

    It covers the Python files and prompts of the part's package, or its module with the prompts
    beside it; and modules and packages that these import from the same folder, unless packages are
    installed there. Nothing of it is run. Of a part that is defined in a notebook, which has no
    file, it covers the class, and what that uses of the notebook: functions, classes, plain values.

    The hash is empty for a part of sidelight's own, for which sidelight's version stands.
    """
    from hashlib import sha256

    if name in KINDS[kind].own:
        return ""
    steps = locate(kind, name).partition(":")[0].split(".")
    for end in range(1, len(steps) + 1):  # a folder without __init__.py may hold anything
        module = ".".join(steps[:end])
        try:
            spec = find_spec(module)
        except ValueError:  # a script or a notebook
            origin = getattr(sys.modules[module], "__file__", None)
            break
        if spec is None:
            raise _no_module(f"{title(kind)} {name!r}", module)
        if origin := spec.origin:
            break
    if origin is None or not Path(origin).is_file():
        made_of = _behind(load(kind, name), module) if module in sys.modules else ()
        return sha256("\0".join(made_of).encode()).hexdigest() if made_of else ""
    place = Path(origin)
    root = place.parent if place.name == "__init__.py" else place
    digest = sha256()
    for path in sorted(_files_behind(root)):
        digest.update(f"{path.relative_to(root.parent).as_posix()}\0".encode())
        digest.update(sha256(read_limited(path)).digest())
    return digest.hexdigest()


_BESIDE = 1_000  # names in a folder among which the nearest is looked for
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b(.*)$", re.MULTILINE)


def _files_behind(root: Path) -> set[Path]:
    """Return the files of a module or a package, and of those beside it that it imports."""
    beside = root.parent
    installed = beside in {Path(sysconfig.get_path(one)) for one in ("purelib", "platlib")}
    found = set() if root.is_dir() else set(beside.glob("*.prompt.md"))
    todo, seen = [root], {root, beside / "sidelight"}
    while todo:
        one = todo.pop()
        files = [*one.rglob("*.py"), *one.rglob("*.prompt.md")] if one.is_dir() else [one]
        found.update(files)
        for line in (line for path in files for line in _IMPORT.findall(read_limited(path))):
            words = () if installed else set(re.findall(rb"\w+", line))
            near = {beside / f"{word.decode()}{end}" for word in words for end in ("", ".py")}
            new = {path for path in near - seen if path.exists()}
            seen |= new
            todo += new
    return found


def _behind(part: object, home: str) -> Iterator[str]:
    """Yield what a part of a notebook is made of, in an order that is the same in every process.

    What comes from other modules than that of the notebook, `home`, is told by its name alone.
    """
    todo, known = [part], dict[int, Any]()  # by id, and kept, so that no id is given out twice
    while todo:
        one: Any = todo.pop()
        if isinstance(one, str | bytes | int | float | None):
            yield repr(one)
            continue
        if id(one) in known:
            continue
        if not isinstance(one, tuple | frozenset | CodeType):  # equal constants may be one or two
            known[id(one)] = one
        # Of a method that is static or a property, of a function that remembers, of a closure.
        todo += [getattr(one, held, None) for held in ("__wrapped__", "fget", "cell_contents")]
        if isinstance(one, dict):
            todo += one.items()
        elif isinstance(one, list | tuple | set | frozenset):
            todo += sorted(one, key=repr) if isinstance(one, set | frozenset) else one
        elif isinstance(one, CodeType):
            todo += one.co_code, one.co_varnames, one.co_names, one.co_consts
        elif (module := getattr(one, "__module__", "")) != home:
            name = getattr(one, "__qualname__", getattr(one, "__name__", type(one).__name__))
            yield f"{module}:{name}"
        elif isinstance(one, FunctionType):
            used = [one.__globals__.get(name) for name in _globals_in(one.__code__)]
            todo += one.__code__, one.__defaults__, one.__kwdefaults__, one.__closure__, used
        elif isinstance(one, type):  # other names in underscores differ from process to process
            own = [item for item in vars(one).items() if not item[0].startswith("__")]
            todo += one.__bases__, own, [*filter(inspect.isfunction, vars(one).values())]
        else:
            todo.append(type(one))


def _globals_in(code: CodeType) -> list[str]:
    """Return the names of the globals that code reads, sorted."""
    read = {one.argval for one in get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return sorted(read.union(*map(_globals_in, inner)))


_OF_OTHERS: dict[str, dict[str, str]] = {}
"""By module, and by the place in it, the parts of somebody else that were loaded from it."""


def part_at_fault(error: BaseException) -> str:
    """Return which part of somebody else an error passed through, and where; empty if none.

    A function beside the parts, or what they inherit, belongs to the part that called it.
    """
    found, part = "", ""
    for frame, line in walk_tb(error.__traceback__):
        if parts := _OF_OTHERS.get(frame.f_globals.get("__name__", "")):
            file, name = Path(frame.f_code.co_filename).name, frame.f_code.co_qualname
            own = [one for place, one in parts.items() if f"{name}.".startswith(f"{place}.")]
            part = [*own, part or " or ".join(parts.values())][0]
            found = f"{part} ({file}:{line} in {frame.f_code.co_name})"
    return found


def needs(part: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of what a part is made from: the parameters of its constructor."""
    return tuple(inspect.signature(part).parameters)


def make(title: str, part: Callable[..., Any], offered: Mapping[str, Callable[[], object]]) -> Any:
    """Make a part, each parameter of its constructor filled by name.

    `offered` has, by name, what returns each thing; it is called only for what is asked for. A part
    that needs something else raises UsageError, which calls it by `title`.
    """
    given = {}
    for name, parameter in inspect.signature(part).parameters.items():
        optional = parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
        if name in offered:
            given[name] = offered[name]()
        elif parameter.default is parameter.empty and not optional:
            raise UsageError(
                f"{title}: its constructor asks for {name!r}; on offer are {', '.join(offered)}"
                + did_you_mean(name, offered)
            )
    return part(**given)


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return the end of a message with the nearest known name, in any case; empty if none is.

    `prefix` is shown before the name.
    """
    folded = {one.casefold(): one for one in known}
    near = get_close_matches(name.casefold(), folded, n=1)
    return f"; did you mean {prefix}{folded[near[0]]}?" if near else ""


def check_path(path: Path) -> str:
    """Return the remedy where nothing is at a path: to check it, with the nearest name beside it.

    What came with sidelight counts as beside it, as for `files.bundled`.
    """
    try:
        beside = [one.name for one in islice(bundled(path.parent).iterdir(), _BESIDE)]
    except OSError:
        beside = []
    folder = "" if path.parent == Path() else f"{path.parent}/"
    return f"Check the path{did_you_mean(path.name, beside, folder) or '.'}"


def title(kind: str) -> str:
    """Return what messages call a part of a kind."""
    return f"performer of {kind.removeprefix(ROLE)}" if kind.startswith(ROLE) else kind


def _offered(kind: str) -> dict[str, set[str]]:
    """Return the places of the parts that installed packages offer, by name."""
    return _installed(tuple(sys.path))[kind]


@lru_cache(maxsize=1)
def _installed(path: tuple[str, ...]) -> dict[str, dict[str, set[str]]]:
    """Return what the packages on a path offer, by kind and name; each is opened to find out."""
    found: dict[str, dict[str, set[str]]] = {kind: {} for kind in KINDS}
    offers = (one for folder in path for one in Path(folder).glob("*-info/entry_points.txt"))
    if not any(b"[sidelight." in one.read_bytes() for one in offers):
        return found
    from importlib.metadata import entry_points  # takes longer to import than all of them to read

    points = entry_points()
    for kind, offered in found.items():
        for point in points.select(group=f"sidelight.{kind}"):
            offered.setdefault(point.name, set()).add(point.value)
    return found


def _check(part: str, place: str, found: Any, protocol: str) -> None:
    """Check that a part is a class with every method of the protocol."""
    wanted = resolve_name(protocol)
    methods = {
        method: expected
        for method, expected in _members(wanted).items()
        if inspect.isfunction(expected) and (method == "__call__" or not method.startswith("_"))
    }
    if not isinstance(found, type):
        forms = (
            f"`{'async ' * inspect.iscoroutinefunction(one)}def {method}({', '.join(needs(one))})`"
            for method, one in methods.items()
        )
        raise UsageError(
            f"{part}: expected a class; {place} is a {type(found).__name__}",
            remedy=f"Write a class with {' and '.join(forms)}: docs/extending.md has examples.",
        )
    has_all = _members(found)
    for method, expected in methods.items():
        has = has_all.get(method)
        if has is None:
            raise UsageError(
                f"{part}: {place} has no method {method}, which every {wanted.__name__} has",
                remedy=f"{protocol.replace(':', '.')} says what it is given and returns.",
            )
        if inspect.iscoroutinefunction(expected) and not inspect.iscoroutinefunction(has):
            raise UsageError(f"{part}: expected `async def {method}` in {place}")


def _members(found: type) -> dict[str, Any]:
    """Return what a class and its bases define; not its metaclass, which makes all callable."""
    return {name: value for base in reversed(found.__mro__) for name, value in vars(base).items()}
