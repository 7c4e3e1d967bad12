"""A command returns its result as a value, and one function prints, writes and serialises it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sidelight.cli.console import AGAIN, Commands, Files, Note, PlainTable, Result, deliver, warning
from sidelight.cli.main import app
from tests.cli.test_tables import agree_grades, score_retrieval
from tests.helpers.commands import COMMANDS


def shout(folder: Path) -> Result:
    """Print while at work, and return a figure, a warning and a file."""
    print("at work")

    def write() -> list[Path]:
        (folder / "kappa.csv").write_text("kappa\n0.51\n")
        return [folder / "kappa.csv"]

    return Result(
        {"kappa": 0.51},
        [
            PlainTable(("kappa",), [("0.51",)]),
            Files(write, "files"),
            warning("warning: 2 topics"),
            Note("dl-19: no bank", "yellow", on_stderr=True, always=True),
        ],
        exit_code=3,
    )


def commands() -> Commands:
    found = Commands()
    found.command()(shout)
    return found


def test_people_see_tables_files_and_warnings_in_their_order(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands(), [str(tmp_path)])
    assert done.exit_code == 3
    table, files = done.stdout.split("│ 0.51  │")
    assert table.startswith("at work\n┏")
    assert files.endswith(f"\n  {tmp_path / 'kappa.csv'}\n")
    assert done.stderr == "warning: 2 topics\ndl-19: no bank\n"


def test_json_is_alone_on_stdout_and_names_the_files_that_were_written(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands(), [str(tmp_path), "--json"])
    assert done.exit_code == 3
    assert json.loads(done.stdout) == {"kappa": 0.51, "files": [str(tmp_path / "kappa.csv")]}
    assert (tmp_path / "kappa.csv").exists()
    assert done.stderr == "at work\ndl-19: no bank\n"


def test_names_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    deliver(Result(None, ["run:100:[b]", Note("run:100:[b]", "red")]), wants_json=False)
    assert capsys.readouterr().out == "run:100:[b]\nrun:100:[b]\n"


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_tables_of_grades_are_written_with_and_without_json(
    more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    words = [*agree_grades(tmp_path, monkeypatch), "-o", str(tmp_path / "out"), *more]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert (tmp_path / "out" / "question_grades_lean.csv").exists()


def test_a_warning_is_no_part_of_the_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = score_retrieval(tmp_path, monkeypatch)
    (tmp_path / "qrels").write_text("1 0 x 1\n2 0 y 1\n3 0 z 1\n")
    assert "no results for 1 query" in CliRunner().invoke(app, words).stderr
    assert CliRunner().invoke(app, [*words, "--json"]).stderr == ""


def test_the_help_says_what_an_interrupted_command_does_when_it_is_called_again() -> None:
    declared = {words: getattr(one.callback, AGAIN, None) for words, one in COMMANDS.items()}
    assert declared["run",] == "The same command resumes."
    assert declared["judge",] == "The same command resumes with the replies it has."
    for words, again in declared.items():
        said = " ".join(COMMANDS[words].help.split())
        assert ("Interrupted" in said) == (again is not None), words
        assert again is None or f"Interrupted at any moment, t{again[1:]}" in said
