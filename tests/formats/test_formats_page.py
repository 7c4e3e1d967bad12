"""docs/formats.md is true: its examples are valid, its output is real, its codes are complete."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sidelight
from sidelight.cli.main import app
from sidelight.formats.lines import _CODES
from sidelight.tracks import DEFAULT_TRACK

PACKAGE = Path(sidelight.__file__).parent
PAGE = (PACKAGE.parent / "docs" / "formats.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"<!-- file: (\S+)(?: track: (\S+))? -->\n```\w+\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
)
FILES = {name: content for name, _, content in EXAMPLES}
TRACKS = {name: track for name, track, _ in EXAMPLES if track}
TOPICS = {"rag2025": "narratives.jsonl"}
SESSIONS = re.findall(r"^\$ sidelight (.*)\n((?:.*\n)*?)^```", PAGE, re.MULTILINE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "diary.txt").write_text("Once upon a time\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", sorted(FILES.keys() - {"dim-t2"}))
def test_examples_are_valid(folder, name):
    track = TRACKS.get(name, DEFAULT_TRACK)
    topics = TOPICS.get(track, "topics.jsonl")
    result = CliRunner().invoke(app, ["validate", "--track", track, "--topics", topics, name])

    assert (folder / name).exists()
    assert result.exit_code == 0, result.output
    told = [line for line in result.output.splitlines() if "--index INDEX" not in line]
    assert len(told) == 1, result.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "output"), SESSIONS)
def test_output_is_what_the_command_prints(arguments, output):
    assert CliRunner().invoke(app, arguments.split()).output == output


def test_every_code_is_listed_and_no_other():
    code = re.compile(
        r'(?:\.(?:error|warning|again|refuse)|findings\.add|\bwarn|Problem)\(\s*"([a-z0-9-]+)"'
    )
    raised = {
        name for path in PACKAGE.rglob("*.py") for name in code.findall(path.read_text("utf-8"))
    }
    raised |= {*_CODES.values(), "value", "team-id-inconsistent", "run-id-inconsistent"}

    _, _, tables = PAGE.partition("## Problem codes")
    cells = re.findall(r"^\| (`.*?) \|", tables, re.MULTILINE)
    listed = {name for cell in cells for name in re.findall("`([^`]+)`", cell)}

    assert listed == raised
