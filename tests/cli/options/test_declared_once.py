"""Shared options are spelled and declared in one place, whatever command takes them."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import typer
from typer.testing import CliRunner

from sidelight.cli.console import examples
from sidelight.cli.main import app
from sidelight.cli.options import names_of
from tests.helpers.commands import COMMANDS

UNSPELLED = re.compile(r"typer\.Option\((?!')")
ROOT = Path(__file__).resolve().parents[3]
MODULES = [
    *(ROOT / "sidelight" / "cli").rglob("*.py"),
    *(ROOT / "sidelight_research").rglob("*.py"),
]


def test_an_option_of_several_commands_is_declared_once():
    declared = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"typer.Option", "_spelt"}:
                for one in node.args[:1]:
                    if isinstance(one, ast.Constant):
                        declared[one.value].append(f"{path.name}:{node.lineno}")
            # Without a spelling of its own, an option is called as its parameter.
            elif isinstance(node, ast.arg) and UNSPELLED.search(ast.unparse(node)):
                declared[f"--{node.arg}"].append(f"{path.name}:{node.lineno}")
    assert len(declared) > 40
    assert {name: places for name, places in declared.items() if len(places) > 1} == {}


def test_every_command_says_where_results_go_alike():
    spellings = {
        tuple(parameter.opts)
        for command in COMMANDS.values()
        for parameter in command.params
        if parameter.name.startswith("out") or "-o" in parameter.opts
    }
    assert spellings == {("--output", "-o")}


def test_help_groups_commands_by_what_a_user_wants():
    shown = CliRunner().invoke(app, ["--help"]).stdout
    panels = ["Make runs", "Judge and score", "Index and search", "Look and publish"]
    places = [shown.index(panel) for panel in (*panels, "This machine")]
    assert places == sorted(places)
    assert "Commands:" not in shown


def test_help_fits_on_80_columns_and_ends_with_an_example(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in COMMANDS:
        shown = CliRunner().invoke(app, [*words, "-h"], terminal_width=80).stdout
        assert max(map(len, shown.splitlines())) <= 80, words
        assert "╭" not in shown
        assert f"Example:\n  sidelight {' '.join(words)}" in shown, words
        line = examples()[" ".join(words)]
        known = {option for one in COMMANDS[words].params for option in one.opts}
        assert {word for word in line.split() if word.startswith("-")} <= known, line


def test_values_are_completed():
    assert names_of("judge")("pro") == ["prompted"]
    (setting,) = [one for one in COMMANDS["run",].params if one.name == "overrides"]
    found = setting.shell_complete(typer.Context(COMMANDS["run",]), "retrieval.rer")
    assert [one.value for one in found] == ["retrieval.reranker=", "retrieval.rerank_margin="]
