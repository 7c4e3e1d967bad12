"""What is wrong with one file, collected so that a user sees all of it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import InvalidFileError, Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MAX_QUOTED = 80


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

    def raise_errors(self) -> None:
        """Stop here if the file is invalid.

        Raises:
            InvalidFileError: There is at least one error; it lists all of them.
        """
        errors = [problem for problem in self.problems if problem.severity == "error"]
        if errors:
            raise InvalidFileError(errors)


def quoted(value: object) -> str:
    """Return a value as Python would write it, in printable ASCII, shortened to fit a message."""
    text = ascii(value)
    return text if len(text) <= _MAX_QUOTED else f"{text[: _MAX_QUOTED - 4]}...{text[-1]}"
