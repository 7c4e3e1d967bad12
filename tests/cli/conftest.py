"""What several commands are tried with: a model server without faults, one topic's rubric, results.

A command with a table is carried out once, for all tests of what it prints and writes.
"""

import json
import shutil
from contextlib import redirect_stdout
from functools import cache, partial
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from sidelight.cli import console
from sidelight.cli.main import app
from sidelight.sample import sample_path
from tests.helpers.models.fault_server import FaultServer


@pytest.fixture(scope="session")
def server():
    with FaultServer() as server:
        yield server


@pytest.fixture(scope="session")
def rubrics(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rubrics")
    shutil.copy(min((sample_path() / "human_rubrics").iterdir()), folder)
    return folder


class Carried(NamedTuple):
    """What a command printed in a pipe, its results, their JSON, and the folder of its files."""

    shown: str
    results: list[console.Result]
    document: Any
    out: Path


@pytest.fixture(scope="session")
def carried_out(small_index, tmp_path_factory):
    """Carries a command of `test_tables` out, once."""
    from tests.cli.test_printed_figures import CASES, audit
    from tests.cli.test_tables import COMMANDS, OVER_AN_INDEX

    over_it = {name: partial(make, small_index) for name, make in OVER_AN_INDEX.items()}
    commands = COMMANDS | over_it | {"audit": audit}
    writers = {case.command for case in CASES if case.files}

    @cache
    def carry_out(name):
        folder, results = tmp_path_factory.mktemp("carried"), []
        out, deliver = folder / "out", console.deliver

        def keep(result, *, wants_json):
            deliver(result, wants_json=wants_json)
            shown = [one for one in result.shown if not isinstance(one, console.Files)]
            results.append(result._replace(shown=shown, exit_code=0))

        with pytest.MonkeyPatch.context() as patched:
            for variable in ("TTY_COMPATIBLE", "COLUMNS", "FORCE_COLOR"):
                patched.delenv(variable, raising=False)
            patched.setattr(console, "deliver", keep)
            words = commands[name](folder, patched)
            words += ["-o", str(out)] if name in writers and str(out) not in words else []
            done = CliRunner().invoke(app, words, env={"COLUMNS": "60", "TERM": "dumb"})
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        documents = []
        for result in results:
            with redirect_stdout(StringIO()) as said:
                deliver(result, wants_json=True)
            documents.append(json.loads(said.getvalue()))
        return Carried(done.stdout, results, documents[0], out)

    return carry_out
