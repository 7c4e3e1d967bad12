"""Imports go one way, and heavy packages stay where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "sidelight"

BASE = {"errors", "text", "text_vectors", "schemas", "files"}
MIDDLE = BASE | {"registry", "tracks", "formats", "config"}
# What each part may import besides itself; parts not named here may import everything.
ALLOWED = {
    "errors": set(),
    "text": set(),
    "text_vectors": set(),
    "files": {"errors"},
    "schemas": {"errors", "text"},
    "prompting": {"errors", "text", "schemas"},
    "registry": {"errors"},
    "tracks": BASE | {"registry"},
    "formats": BASE | {"tracks"},
    "config": BASE | {"registry"},
    "sample": BASE,
    "llm": BASE | {"prompting"},
    "versions": set(),
    "processes": set(),
    "index": MIDDLE | {"versions", "processes"},
    "retrieval": MIDDLE | {"index"},
    "checks": BASE | {"prompting", "llm"},
    "generation": MIDDLE | {"prompting", "llm", "checks"},
    "agents": MIDDLE | {"retrieval", "generation", "llm"},
    "evaluation": MIDDLE | {"prompting", "llm", "checks"},
    "runs": MIDDLE | {"versions", "llm", "evaluation"},
    "view": MIDDLE | {"runs", "evaluation"},
}
HEAVY = {
    "pyserini": {"index", "retrieval"},
    "jnius": {"index", "retrieval"},
    "jnius_config": {"index", "retrieval"},
    "faiss": {"index", "retrieval"},
    "torch": {"index", "retrieval"},
    "sentence_transformers": {"index", "retrieval"},
    "onnxruntime": {"index"},
    "ray": {"index"},
    "langgraph": {"agents"},
    "openai": {"llm"},
    "fastapi": {"serve"},
    "uvicorn": {"serve"},
    "jinja2": {"prompting", "view"},
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    """Return every dotted name a module imports anywhere, inside functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    part = part_of(path)
    own = {name.split(".")[1] for name in imported(path) if name.startswith("sidelight.")}
    if part in ALLOWED:
        assert own - {part} <= ALLOWED[part]
    if part not in {"__init__", "cli", "build", "runs", "ablation", "reproduction", "serve"}:
        assert own.isdisjoint({"cli", "build"})
    if part not in {"cli", "serve", "view"}:
        assert "view" not in own
    for name in imported(path):
        top = name.split(".")[0]
        assert part in HEAVY.get(top, {part}), f"{top} is imported in {part}"


def test_the_system_does_not_know_the_scorer() -> None:
    for path in MODULES:
        if part_of(path) in {"agents", "generation", "retrieval", "index", "build"}:
            known = imported(path)
            assert known.isdisjoint({"sidelight.schemas.rubric", "sidelight.formats.banks.rubrics"})
            assert not any("evaluation" in name for name in known)


def test_the_command_that_runs_reads_no_rubrics() -> None:
    commands = [
        *(PACKAGE / "cli" / "run").glob("*.py"),
        PACKAGE / "cli" / "options" / "self_evaluation.py",
    ]
    assert len(commands) > 3
    for path in commands:
        known = imported(path)
        assert known.isdisjoint(
            {"sidelight.formats.banks.rubrics", "sidelight.evaluation.labelling.examples"}
        )
        assert not any(name.startswith("sidelight.runs.self_evaluation") for name in known)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["validate", "--help"],
        ["score", "--help"],
        ["agree", "--help"],
        ["run", "--help"],
        ["judge", "--help"],
        ["evaluate", "--help"],
        ["ablate", "--help"],
        ["audit", "--help"],
        ["search", "--help"],
        ["view", "--help"],
        ["doctor", "--help"],
        ["prompt", "--help"],
    ],
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; sys.argv = ['sidelight', *sys.argv[1:]]\n"
        "from sidelight.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code in (0, None), end.code\n"
        "heavy = {'torch', 'jnius', 'langgraph', 'faiss', 'sentence_transformers', 'sklearn',"
        " 'pandas', 'scipy', 'numpy', 'matplotlib', 'openai', 'jinja2'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
