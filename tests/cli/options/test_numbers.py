"""Numbers on the command line are ASCII digits, and what is printed as JSON is UTF-8."""

import json
import os

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import UsageError


@pytest.mark.parametrize(
    "words",
    [
        ("score", "compare", "x", "--samples", "1_000"),
        ("score", "compare", "x", "--seed", "１"),
        ("agree", "qrels", "x", "y", "--min-first", " 1"),
        ("audit", "x", "--tolerance", "nan"),
        ("audit", "x", "--tolerance", "1e999"),
    ],
    ids=lambda words: " ".join(words[-2:]),
)
def test_what_is_no_number_in_digits_is_refused(words):
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, UsageError)
    assert f"in digits for {words[-2]}; found {words[-1]!r}" in str(done.exception)


def test_a_name_of_other_bytes_than_utf8_is_escaped_in_json_and_files(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / os.fsdecode(b"caf\xe9")
    qrels.write_text("1 0 x 1\n")
    run.write_text("1 Q0 x 1 2.0 t\n")
    words = ("score", "retrieval", "--qrels", qrels, "--run", run, "-o", tmp_path / "out", "--json")
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exception is None
    shown = json.loads(done.stdout)
    assert shown["runs"][0]["run"] == "caf\\udce9"
    assert "caf\\udce9" in (tmp_path / "out" / "retrieval_per_run_results.csv").read_text()
