"""Problems of files as lines: what is said of thirty places alike is said once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.errors import Problem

_STYLES = {"error": "red", "warning": "yellow"}
_MOST_LINES = 10


def problem_lines(problems: Iterable[Problem]) -> list[tuple[str, str]]:
    """Return each problem as text and its style; equal warnings of a file are one, with a count.

    Errors are not put together, since each of them has to be mended.
    """
    alike: dict[tuple[object, ...], list[Problem]] = {}
    for place, one in enumerate(problems):
        key = (one.file, one.code, one.expected, one.remedy)
        alike.setdefault(key if one.severity == "warning" else (place,), []).append(one)
    return [(_text(found), _STYLES[found[0].severity]) for found in alike.values()]


def _text(alike: list[Problem]) -> str:
    first, *others = alike
    if not others:
        return str(first)
    lines = [str(one.line) for one in others if one.line is not None]
    where = ""
    if lines:
        more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
        where = f", also on {'line' if len(lines) == 1 else 'lines'} "
        where += ", ".join(lines[:_MOST_LINES]) + more
    return f"{first} ({len(alike)} times{where})"
