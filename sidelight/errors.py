"""Every error sidelight raises on purpose, named by who must act.

```text
SidelightError                exit code
├── InputError            1   a file or its content is at fault
│   └── InvalidFileError       1   a file with one or more listed problems
├── UsageError            2   the command line or the configuration is at fault
└── MachineError      3   the machine is at fault: no Java, no extra, no disk
```
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one place in one file.

    Attributes:
        code: Stable kebab-case name of the rule, e.g. `rank-duplicate`.
        file: The file as the user named it.
        line: 1-based line number, or None when the whole file is meant.
        expected: What the rule asks for.
        found: What is there, quoted and shortened.
        remedy: What the user can do about it.
        severity: Errors make a file invalid; warnings do not.
    """

    code: str
    file: str
    line: int | None
    expected: str
    found: str
    remedy: str
    severity: Severity = "error"

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return (
            f"{where}: {self.severity} [{self.code}] expected {self.expected}; "
            f"found {self.found}. {self.remedy}"
        )

    def as_dict(self) -> dict[str, str | int | None]:
        """Return the fields as a JSON-ready mapping."""
        return asdict(self)


class SidelightError(Exception):
    """Base of every error raised on purpose.

    Args:
        message: What went wrong.
        remedy: The one thing that fixes it, shown on a line of its own.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n{self.remedy}" if self.remedy else self.message


class InputError(SidelightError):
    """A file, or what is in it, is at fault."""

    exit_code = 1


class InvalidFileError(InputError):
    """A file with one or more problems.

    Args:
        problems: At least one problem; the first ten are shown.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        shown = [str(problem) for problem in self.problems[:10]]
        if len(self.problems) > len(shown):
            shown.append(f"... and {len(self.problems) - len(shown)} more")
        super().__init__("\n".join(shown))


class UsageError(SidelightError):
    """The command line or the configuration is at fault."""

    exit_code = 2


class MachineError(SidelightError):
    """The machine is at fault: no Java, no extra, no disk."""

    exit_code = 3
