"""What the README and the documents say to type works."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from sidelight.cli.main import app
from sidelight.sample import sample_path
from tests.helpers.commands import subcommands

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_begins_with_the_two_commands():
    title, rest = (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n", 1)
    assert title == "# sidelight"
    assert rest.startswith("```sh\n")
    commands = rest.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert [line.partition("#")[0].split() for line in commands] == [
        ["make", "demo"],
        ["make", "test"],
    ]


def test_the_api_in_twenty_lines(mini_web_index, tmp_path, monkeypatch, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text(), re.DOTALL)
    assert len(list(filter(str.strip, code.splitlines()))) <= 20
    (tmp_path / "sidelight-demo").mkdir()
    (tmp_path / "sidelight-demo" / "index").symlink_to(mini_web_index.path)
    (tmp_path / "sidelight" / "sample").mkdir(parents=True)
    (tmp_path / "sidelight" / "sample" / "data").symlink_to(sample_path())
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "api.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    questions, rest = lines[:10], lines[10:]
    sentences = [line for line in rest if "msmarco_v2.1_doc_" in line]
    scores = [line.split() for line in rest[len(sentences) :]]
    assert [line.split()[0] for line in questions] == [str(rank) for rank in range(1, 11)]
    assert all(line.endswith("?") for line in questions)
    assert len(sentences) > 3
    assert {tag for tag, _ in scores} == {"lantern-t2", "quillmark-t2"}
    assert all(0 <= float(score) <= 1 for _, score in scores)


# The recipes of extending.md are carried out; one of them adds a command.
CALLED = [path for path in DOCUMENTS if path.name != "extending.md"]


@pytest.mark.parametrize("document", CALLED, ids=lambda path: path.name)
def test_commands_and_options_exist(document):
    root = typer.main.get_command(app)
    for block in re.findall(r"```(?:sh|bash)\n(.*?)```", document.read_text(), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["sidelight"]:
                _check(root, words[1:])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def _check(command, words):
    known = {"-h", "--help"}
    for word in words:
        names = subcommands(command)
        if (name := word.split("|")[0]) in names:
            command = names[name]
        elif word.startswith("-"):
            known |= {option for parameter in command.params for option in parameter.opts}
            assert word.split("=")[0] in known, f"{command.name}: {word}"
