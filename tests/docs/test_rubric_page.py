"""docs/rubric.md is true: its example is what the commands print."""

import re
from pathlib import Path

import pytest

import sidelight
from sidelight.formats.labels.qrels import read_qrels
from tests.helpers.commands import said

PAGE = (Path(sidelight.__file__).parent.parent / "docs" / "rubric.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
SESSIONS = re.findall(r"^\$ sidelight (.*)\n((?:.*\n)*?)^```", PAGE, re.MULTILINE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "output"), SESSIONS)
def test_output_is_what_the_command_prints(arguments, output):
    assert said(*arguments.split()) == output


def test_labels_are_those_of_the_page(folder):
    assert len(SESSIONS) > 4
    for at_least, labels in ((1, [5, 4, 3]), (2, [4, 0, 0])):
        said("rubric", "qrels", "graded.jsonl", "-o", "x", "--at-least", at_least)
        assert list(read_qrels(folder / "x")["peat"].values()) == labels
