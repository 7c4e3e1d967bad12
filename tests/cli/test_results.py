"""A command returns its result as a value, and one function prints, writes and serialises it."""

import json
from pathlib import Path

from typer.testing import CliRunner

from sidelight.cli.console import Commands, Files, Note, PlainTable, Result, deliver, warning
from sidelight.cli.main import app
from tests.cli.test_tables import score_retrieval


def shout(folder: Path) -> Result:
    """Print while at work, and return a figure, a warning and a file."""
    print("at work")

    def write():
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


def commands():
    found = Commands()
    found.command()(shout)
    return found


def test_people_see_tables_files_and_warnings_in_their_order(tmp_path):
    done = CliRunner().invoke(commands(), [str(tmp_path)])
    assert done.exit_code == 3
    table, files = done.stdout.split("│ 0.51  │")
    assert table.startswith("at work\n┏")
    assert files.endswith(f"\n  {tmp_path / 'kappa.csv'}\n")
    assert done.stderr == "warning: 2 topics\ndl-19: no bank\n"


def test_json_is_alone_on_stdout_and_names_the_files_that_were_written(tmp_path):
    done = CliRunner().invoke(commands(), [str(tmp_path), "--json"])
    assert done.exit_code == 3
    assert json.loads(done.stdout) == {"kappa": 0.51, "files": [str(tmp_path / "kappa.csv")]}
    assert (tmp_path / "kappa.csv").exists()
    assert done.stderr == "at work\ndl-19: no bank\n"


def test_files_are_written_before_anything_is_printed(tmp_path, capsys):
    def write():
        assert capsys.readouterr().out == ""
        return [tmp_path / "kappa.csv"]

    deliver(Result(None, ["first", Files(write), "last"]), wants_json=False)
    assert capsys.readouterr().out == f"first\n  {tmp_path / 'kappa.csv'}\nlast\n"


def test_names_are_printed_as_they_are(capsys):
    deliver(Result(None, ["run:100:[b]", Note("run:100:[b]", "red")]), wants_json=False)
    assert capsys.readouterr().out == "run:100:[b]\nrun:100:[b]\n"


def test_a_warning_is_no_part_of_the_json(tmp_path, monkeypatch):
    words = score_retrieval(tmp_path, monkeypatch)
    (tmp_path / "qrels").write_text("1 0 x 1\n2 0 y 1\n3 0 z 1\n")
    assert "no results for 1 query" in CliRunner().invoke(app, words).stderr
    assert CliRunner().invoke(app, [*words, "--json"]).stderr == ""
