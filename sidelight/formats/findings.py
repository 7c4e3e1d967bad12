"""Problems of one file, collected so that a user sees all of them at once."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

from sidelight.errors import InvalidFileError, Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

# The names pydantic gives to kinds of errors, and ours.
_CODES = {
    "missing": "key-missing",
    "extra_forbidden": "key-unknown",
    "json_invalid": "json-syntax",
}
# Where pydantic speaks of Python instead of JSON.
_MESSAGES = {"model_type": "Input should be an object", "too_short": "Input should not be empty"}
_MAX_QUOTED = 80
# The built-in repr recurses as deep as the value goes, and writes megabytes to keep 80 characters.
_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = _MAX_QUOTED


class Findings:
    """Problems of one file, in the order they were found.

    Args:
        path: The file, named in every problem as it is given here.
        problems: Problems already known, e.g. from decoding the file.
    """

    def __init__(self, path: Path, problems: Iterable[Problem] = ()) -> None:
        self._file = str(path)
        self.problems = list(problems)

    def add(
        self,
        code: str,
        line: int | None,
        *,
        expected: str,
        found: str,
        remedy: str,
        severity: Severity,
    ) -> None:
        """Add a problem; the arguments are those of `Problem`."""
        self.problems.append(Problem(code, self._file, line, expected, found, remedy, severity))

    def error(self, code: str, line: int | None, *, expected: str, found: str, remedy: str) -> None:
        """Add a problem that makes the file invalid."""
        self.add(code, line, expected=expected, found=found, remedy=remedy, severity="error")

    def warning(
        self, code: str, line: int | None, *, expected: str, found: str, remedy: str
    ) -> None:
        """Add a problem worth knowing that leaves the file valid."""
        self.add(code, line, expected=expected, found=found, remedy=remedy, severity="warning")

    def invalid(self, error: ValidationError, line: int | None, *, what: str, remedy: str) -> None:
        """Add one error for each place where a value is not of the type a format asks for."""
        details = error.errors(include_url=False)
        for detail in details:
            # A list whose items are all invalid is empty to pydantic, which then says so too.
            if not any(_is_within(other["loc"], detail["loc"]) for other in details):
                self.error(
                    _CODES.get(detail["type"], "value"),
                    line,
                    expected=what,
                    found=_fault(detail),
                    remedy=remedy,
                )

    def raise_errors(self) -> None:
        """Stop here if the file is invalid.

        Raises:
            InvalidFileError: There is at least one error; it lists all of them.
        """
        errors = [problem for problem in self.problems if problem.severity == "error"]
        if errors:
            raise InvalidFileError(errors)


def _is_within(place: tuple[int | str, ...], whole: tuple[int | str, ...]) -> bool:
    return len(place) > len(whole) and place[: len(whole)] == whole


def _fault(detail: ErrorDetails) -> str:
    place = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "missing":
        return f"no {place}"
    message = _MESSAGES.get(detail["type"], detail["msg"]).removeprefix("Value error, ")
    return f"{place} = {quoted(detail['input'])}: {message}" if place else message


def quoted(value: object) -> str:
    """Return a value as Python would write it, shortened to fit a message."""
    text = _repr.repr(value)
    return text if len(text) <= _MAX_QUOTED else f"{text[: _MAX_QUOTED - 4]}...{text[-1]}"
