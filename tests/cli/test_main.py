"""What goes wrong outside a command's own checks ends in one line and the right exit code."""

import errno
import sys

import pytest
from typer.testing import CliRunner

from sidelight.cli import main as command_line
from sidelight.errors import InputError, InvalidFileError, MachineError, Problem, UsageError
from sidelight.versions import VERSION
from tests.helpers.installed import install


def ended_by(error, monkeypatch):
    """Return the exit code of a program in which an error is raised."""

    def fail():
        raise error

    monkeypatch.setattr(command_line, "app", fail)
    with pytest.raises(SystemExit) as end:
        command_line.main()
    return end.value.code


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["validte"], "No such command 'validte'; did you mean validate?"),
        (["agree", "labls"], "No such command 'labls'; did you mean labels?"),
        (["score", "agre"], "No such command 'agre'; did you mean sidelight agree?"),
        (["score", "xxxxx"], "No such command 'xxxxx'\n"),
    ],
)
def test_the_nearest_command_is_told(words, says):
    assert_refused(words, says)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["read", "a.txt"], "Missing option --index: Folder made by `sidelight index build`"),
        (["read"], "Missing argument article: Saved web page (.html), text file"),
    ],
)
def test_what_is_missing_is_described(words, says):
    assert_refused(words, says)


def assert_refused(words, says):
    found = CliRunner().invoke(command_line.app, words)
    assert found.exit_code == 2
    assert says in found.stderr


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (InputError("a file is broken", remedy="Mend it."), 1, "error: a file is broken\nMend it."),
        (UsageError("no such thing"), 2, "error: no such thing"),
        (MachineError("no Java"), 3, "error: no Java"),
        (
            InvalidFileError(
                [Problem("rank", "a.tsv", 4, "a rank", "'x'", "Correct it.", "error")]
            ),
            1,
            "a.tsv:4: error [rank] expected a rank; found 'x'. Correct it.",
        ),
        (
            ModuleNotFoundError("No module named 'langgraph'", name="langgraph"),
            3,
            "needs the package 'langgraph', which is not installed\nInstall it in /",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), 3, "No space left on device"),
        # A module of ours that is gone is no missing package.
        (
            ModuleNotFoundError("No module named 'sidelight.gone'", name="sidelight.gone"),
            4,
            "a defect of sidelight",
        ),
    ],
)
def test_errors_become_one_message_and_an_exit_code(error, code, says, monkeypatch, capsys):
    assert ended_by(error, monkeypatch) == code
    told = capsys.readouterr().err
    assert says in told
    assert "error: a.tsv" not in told  # which says it once


def test_a_note_on_a_defect_is_told(monkeypatch, capsys):
    error = KeyError(1)
    error.add_note("Topic a. The files of the run b are not affected.")
    assert ended_by(error, monkeypatch) == 4
    assert "\nTopic a. The files of the run b are not affected.\nPlease" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("secret words"), RecursionError(), KeyError(1)]
)
def test_a_defect_ends_in_what_to_report_without_a_traceback(error, monkeypatch, capsys):
    monkeypatch.delenv("SIDELIGHT_TRACEBACK", raising=False)
    assert ended_by(error, monkeypatch) == 4
    told = capsys.readouterr().err
    for said in (f"{type(error).__name__} at ", "test_main.py:", "Please report"):
        assert said in told
    assert not any(hidden in told for hidden in ("Traceback", "secret"))
    monkeypatch.setenv("SIDELIGHT_TRACEBACK", "1")
    ended_by(error, monkeypatch)
    assert "Traceback" in capsys.readouterr().err


def test_version_says_what_a_report_needs():
    answer = CliRunner().invoke(command_line.app, ["--version"])
    first, python, *packages = answer.stdout.splitlines()
    assert first == f"sidelight {VERSION}"
    assert python.startswith("Python 3.")
    assert any(line.startswith("torch ") for line in packages)


def test_a_command_of_another_package_is_listed_and_called(tmp_path, monkeypatch):
    source = """
        from typing import Annotated
        import typer

        def shout(word: str, times: Annotated[int, typer.Option("--times")] = 1) -> None:
            '''Say it loudly.'''
            print(word.upper() * times)
    """
    offers = {"command shout": "shouting:shout", "command broken": "no_such_module:f"}
    install(tmp_path, "shouting", {"shouting": source}, {**offers, "command run": "shouting:shout"})
    monkeypatch.syspath_prepend(tmp_path)
    shown = CliRunner().invoke(command_line.app, ["--help"]).stdout
    own, _, others = shown.partition("From other packages")
    assert "Say it loudly." in others
    assert "reproduce" in own
    assert "broken" not in shown
    assert "shouting" not in sys.modules  # a command is imported when it is called
    assert shown.count("Say it loudly.") == 1  # the name `run` is not taken over
    called = CliRunner().invoke(command_line.app, ["shout", "--times", "2", "heed"])
    assert (called.exit_code, called.stdout) == (0, "HEEDHEED\n")
    assert "--times" in CliRunner().invoke(command_line.app, ["shout", "-h"]).stdout
    refused = CliRunner().invoke(command_line.app, ["shout", "x", "--times", "1", "--times", "2"])
    assert isinstance(refused.exception, UsageError)
    broken = CliRunner().invoke(command_line.app, ["broken"])
    assert isinstance(broken.exception, UsageError)
    assert broken.exception.message == "command 'broken': there is no module 'no_such_module'"


def test_without_its_package_reproduce_is_not_listed_and_says_what_is_missing(monkeypatch):
    assert "reproduce" in CliRunner().invoke(command_line.app, ["--help"]).stdout
    monkeypatch.delitem(sys.modules, "sidelight_research.reproduce", raising=False)
    monkeypatch.setitem(sys.modules, "sidelight_research", None)
    assert "reproduce" not in CliRunner().invoke(command_line.app, ["--help"]).stdout
    called = CliRunner().invoke(command_line.app, ["reproduce"])
    assert isinstance(called.exception, UsageError)
    assert "there is no module 'sidelight_research" in called.exception.message


def test_an_error_in_somebody_elses_part_is_said_to_be_theirs(
    small_index, tmp_path, monkeypatch, capsys
):
    (tmp_path / "their_parts.py").write_text(
        "class Broken:\n    name = 'broken'\n\n    def search(self, queries, k):\n"
        "        raise KeyError('no such shelf')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    command = ["sidelight", "search", "--index", str(small_index.path), "words"]
    monkeypatch.setattr(sys, "argv", [*command, "--retriever", "their_parts:Broken"])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    errors = capsys.readouterr().err
    assert ended.value.code == 1
    assert "retriever 'their_parts:Broken' (their_parts.py:5 in search) failed" in errors
    assert "KeyError: 'no such shelf'" in errors
    assert "defect" not in errors
