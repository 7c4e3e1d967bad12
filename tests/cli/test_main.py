"""What goes wrong outside a command's own checks ends in one line and the right exit code."""

from __future__ import annotations

import errno
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from sidelight.cli import main as command_line
from sidelight.errors import InputError, MachineError, UsageError
from sidelight.versions import VERSION


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (InputError("a file is broken", remedy="Mend it."), 1, "error: a file is broken\nMend it."),
        (UsageError("no such thing"), 2, "error: no such thing"),
        (MachineError("no Java"), 3, "error: no Java"),
        (
            ModuleNotFoundError("No module named 'langgraph'", name="langgraph"),
            3,
            "needs the package 'langgraph', which is not installed\nInstall it with: pip install",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), 3, "No space left on device"),
    ],
)
def test_errors_become_one_message_and_an_exit_code(
    error: Exception,
    code: int,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> NoReturn:
        raise error

    monkeypatch.setattr(command_line, "app", fail)
    with pytest.raises(SystemExit) as end:
        command_line.main()
    assert end.value.code == code
    assert says in capsys.readouterr().err


def test_a_defect_of_ours_is_not_taken_for_a_missing_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> NoReturn:
        raise ModuleNotFoundError("No module named 'sidelight.gone'", name="sidelight.gone")

    monkeypatch.setattr(command_line, "app", fail)
    with pytest.raises(ModuleNotFoundError):
        command_line.main()


def test_version_says_what_a_report_needs() -> None:
    answer = CliRunner().invoke(command_line.app, ["--version"])
    first, python, *packages = answer.stdout.splitlines()
    assert first == f"sidelight {VERSION}"
    assert python.startswith("Python 3.")
    assert any(line.startswith("torch ") for line in packages)
