"""Whether a class has what a protocol asks for, looked up without making one."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from sidelight.errors import UsageError


def check_keeps(part: str, place: str, found: Any, protocol: str) -> None:
    """Refuse what is no class, or lacks a method of a protocol.

    Args:
        part: What messages call it.
        place: Where it was found.
        found: What was found there.
        protocol: `module:Protocol`.

    Raises:
        UsageError: It is no class, lacks a method, or has one that is not `async` and must be.
    """
    if not isinstance(found, type):
        raise UsageError(f"{part}: expected a class; {place} is a {type(found).__name__}")
    module_name, _, name = protocol.partition(":")
    has_all = _members(found)
    for method, expected in _members(getattr(import_module(module_name), name)).items():
        if inspect.isfunction(expected) and (method == "__call__" or not method.startswith("_")):
            has = has_all.get(method)
            if has is None:
                raise UsageError(
                    f"{part}: {place} has no method {method}, which every {name} has",
                    remedy=f"{protocol} says what it is given and returns.",
                )
            if inspect.iscoroutinefunction(expected) and not inspect.iscoroutinefunction(has):
                raise UsageError(f"{part}: expected `async def {method}` in {place}")


def _members(found: type) -> dict[str, Any]:
    """Return what a class and its bases define; not its metaclass, which makes all callable."""
    return {name: value for base in reversed(found.__mro__) for name, value in vars(base).items()}
