"""Exceptions that sidelight raises deliberately, grouped by who has to act.

```text
SidelightError                exit code
├── InputError            1   a file or its content is at fault
│   └── InvalidFileError       1   a file with one or more listed problems
├── UsageError            2   the command line or the configuration is at fault
│   ├── BudgetExhaustedError   2   the next call might cost more than was allowed
│   └── OfflineError           2   a call was needed while calls were forbidden
├── MachineError          3   the machine is at fault: no Java, no extra, no disk
│   ├── ModelUnavailableError  3   no model server, no such model, no key
│   │   └── UselessModelError      3   no reply to any call of a run could be used
│   └── FailedQueryError       3   an index server fails on one query, and answers others
└── ReplyError            3   a model's reply is at fault; what it cost is kept
    ├── TruncatedReplyError    3   it ended at the token limit
    ├── EmptyReplyError        3   it holds no answer
    ├── RefusedReplyError      3   the model or a filter declined
    ├── MalformedReplyError    3   it is not a chat completion
    ├── FailedCallError        3   none came, though the server is there
    └── StructuredOutputError  3   its answer does not fit the type asked for
```

Result of one check by `sidelight doctor`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple


def install_hint(extra: str) -> str:
    """Return how to install an extra: from the clone that runs, or of the installed package."""
    clone = Path(__file__).parents[1]
    if (clone / "pyproject.toml").is_file():
        return f"Install it in {clone}: pip install -c constraints.txt -e '.[{extra}]'"
    return f"Install it with: pip install 'sidelight[{extra}]'"


INSTALL = f"{install_hint('cpu')} (or [gpu])"  # where a package of the system extra is missing

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one place in one file; errors make a file invalid, warnings do not.

    Attributes:
        code: Stable kebab-case name of the rule, e.g. `rank-duplicate`.
        file: The file as the user named it.
        line: 1-based line number, or None when the whole file is meant.
        expected: What the rule asks for.
        found: What is there, quoted and shortened.
        remedy: What the user can do about it.
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


def alike(problems: Iterable[Problem], *, by_file: bool = False) -> list[list[Problem]]:
    """Return problems that are alike together, in the order in which the first of each stand.

    Errors of which another thing was found are not alike: each of them has to be mended. With
    `by_file`, neither are problems of different files.
    """
    together: dict[tuple[object, ...], list[Problem]] = {}
    for one in problems:
        found = one.found if one.severity == "error" else None
        file = one.file if by_file else None
        together.setdefault((file, one.code, one.expected, one.remedy, found), []).append(one)
    return [*together.values()]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model call has cost, as the server counted them.

    `completion_tokens` include `reasoning_tokens`, which are 0 where the server does not say.
    """

    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )

    @property
    def total_tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens


class SidelightError(Exception):
    """Base of every error raised on purpose.

    `remedy` is the one thing that fixes it, shown on a line of its own.
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
    """A file with one or more problems, of which ten are shown; those that are alike once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        told = alike(self.problems, by_file=True)[:10]
        shown = [f"{one[0]}{f' (in {len(one)} places)' if one[1:] else ''}" for one in told]
        left = len(self.problems) - sum(map(len, told))
        super().__init__("\n".join([*shown, *([f"... and {left} more"] if left else [])]))

    def __reduce__(self) -> tuple[Any, ...]:  # another process may raise it
        return type(self), (self.problems,)


class UsageError(SidelightError):
    """The command line or the configuration is at fault."""

    exit_code = 2


class MachineError(SidelightError):
    """The machine is at fault: no Java, no extra, no disk."""

    exit_code = 3


class BudgetExhaustedError(UsageError):
    """The next call might cost more than was allowed; it was not made."""


class OfflineError(UsageError):
    """An answer is not in the cache, and calls are forbidden."""


class ModelUnavailableError(MachineError):
    """A model cannot be asked: no server, no such model, no key, or a request it does not take."""


class UselessModelError(ModelUnavailableError):
    """No reply of the models that a run asked could be used."""


class FailedQueryError(MachineError):
    """An index server fails on some queries, given as texts, time after time, and not on others."""

    def __init__(self, message: str, queries: Collection[str], *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.queries = frozenset(queries)


class ReplyError(SidelightError):
    """A model that can be asked gave no usable reply.

    Args:
        message: What is wrong with it.
        text: What the model said, as far as it came.
        usage: What it cost, or None where the server does not say.
        remedy: The one thing that fixes it.
    """

    exit_code = 3

    def __init__(
        self, message: str, *, text: str = "", usage: Usage | None = None, remedy: str = ""
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.text = text
        self.usage = usage


class TruncatedReplyError(ReplyError):
    """A reply ended at the token limit."""


class EmptyReplyError(ReplyError):
    """A reply holds no answer: no choice, no content, or reasoning alone."""


class RefusedReplyError(ReplyError):
    """The model, or a filter in front of it, declined to answer."""


class MalformedReplyError(ReplyError):
    """What the server sent is not a chat completion."""


class FailedCallError(ReplyError):
    """No reply came to one call, time after time, though the server is there."""


class StructuredOutputError(ReplyError):
    """An answer does not fit the type that was asked for."""


class Check(NamedTuple):
    """One thing that was looked at; `remedy` is how to get what is missing, empty if nothing is."""

    name: str
    found: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether the check passed."""
        return not self.remedy


@contextmanager
def package_of(what: str, remedy: str = INSTALL) -> Iterator[None]:
    """Raise MachineError, saying what needs it, where a package cannot be imported inside."""
    try:
        yield
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError)
        state = "is not installed" if missing else f"cannot be imported: {error}"
        raise MachineError(
            f"{what} needs the package {error.name!r}, which {state}", remedy=remedy
        ) from error
