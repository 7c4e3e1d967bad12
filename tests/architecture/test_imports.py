"""Imports go one way, and heavy packages stay where they belong."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from typing import TYPE_CHECKING

from tests.helpers.package import ROOT, imports, listed, modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BASE = {"errors", "text", "text_vectors", "files", "schemas"}
MIDDLE = BASE | {"parts", "registry", "tracks", "formats", "config"}
MODEL = {"prompting", "llm"}
SYSTEM = {"checks", "english", "index", "retrieval", "generation.*", "agents"}
# What each room may import besides itself; `sidelight`, which scripts import, may import all.
# `plugins` is for packages with parts of their own, so no room may import it.
# A room is a module or a folder, with the folders in it that are not listed themselves; `.*` adds
# those that are.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "text": set(),
    "versions": set(),
    "transport": {"errors"},
    "files": {"errors"},
    "schemas": {"errors", "text"},
    "prompting": {"errors", "text", "schemas", "files"},
    "text_vectors": set(),
    "english": BASE | {"formats"},
    "learned": BASE,
    "parts": set(),
    "registry": {"errors", "parts"},
    "sample": BASE,
    "tracks": BASE | {"registry"},
    "formats": BASE | {"tracks", "registry"},
    "config": BASE | {"parts", "registry", "tracks"},
    "llm": BASE | {"prompting", "transport"},
    "index": MIDDLE | {"versions", "transport"},
    "retrieval": MIDDLE | {"index"},
    "checks": BASE | MODEL | {"learned"},
    "generation": BASE | {"tracks", "checks", "english"},
    "generation.narratives": BASE | MODEL | {"generation.prompted"},
    "generation.extractive": BASE | {"tracks", "checks", "generation", "english", "learned"},
    "generation.prompted": BASE | MODEL | {"tracks", "checks", "english", "generation.*"},
    "agents": BASE | {"tracks", "retrieval", "generation", "english"},
    "evaluation": MIDDLE | MODEL | {"checks", "learned", "evaluation.*"},
    "evaluation.metrics": BASE | {"registry"},
    "evaluation.scoring": MIDDLE | {"checks", "evaluation.metrics"},
    "evaluation.agreement": MIDDLE
    | {"checks", "learned", "evaluation.agreement.coefficients", "evaluation.labelling"}
    | {"evaluation.scoring"},
    "evaluation.agreement.coefficients": BASE,
    "evaluation.figures": BASE | {"evaluation.scoring", "evaluation.agreement"},
    "evaluation.labelling": MIDDLE
    | MODEL
    | {"checks", "learned", "evaluation.agreement.coefficients"},
    "evaluation.audit": MIDDLE | {"evaluation.metrics", "evaluation.labelling", "learned"},
    "plugins": BASE
    | MODEL
    | {
        "formats",
        "index",
        "retrieval",
        "generation.*",
        "evaluation.labelling",
        "evaluation.metrics",
    },
    "runs": MIDDLE | {"llm", "agents", "versions"},
    "runs.self_evaluation": MIDDLE | {"runs", "evaluation.*"},
    "wiring": MIDDLE | MODEL | SYSTEM | {"runs", "versions", "transport"},
    "wiring.judges": MIDDLE | MODEL | {"wiring", "index", "evaluation.labelling"},
    "view": MIDDLE | {"runs", "evaluation.*", "english", "generation"},
    "serve": MIDDLE | {"runs", "view", "versions", "english"},
    "library": MIDDLE | {"index", "retrieval", "evaluation.*", "runs.*", "wiring.*", "cli"},
    "ablation": MIDDLE | MODEL | SYSTEM | {"versions", "evaluation.*", "runs.*", "wiring.*"},
    "reproduction": MIDDLE | MODEL | {"index", "runs.*", "wiring", "versions"},
    "cli": MIDDLE
    | MODEL
    | {
        "versions",
        "transport",
        "sample",
        "checks",
        "learned",
        "index",
        "retrieval",
        "evaluation.*",
        "runs.*",
        "wiring.*",
    }
    | {"view", "serve", "ablation", "reproduction"},
    # A package of its own, which no room may import.
    "sidelight_research": MIDDLE
    | MODEL
    | {"learned", "evaluation.*", "checks", "index", "generation", "generation.extractive", "cli"},
}
# Where a foreign package may be imported.
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
    "langsmith": {"versions"},
    "openai": {"llm"},
    "spacy": {"english"},
    "fastapi": {"serve"},
    "uvicorn": {"serve"},
    "jinja2": {"prompting", "view"},
}
# What makes a run, and what must stay out of its sight.
INVESTIGATES = MODEL | {
    "config",
    "tracks",
    "parts",
    "registry",
    "retrieval",
    "checks",
    "english",
    "agents",
    "index",
}
INVESTIGATES |= {"runs", "wiring", *(room for room in ALLOWED if room.startswith("generation"))}
SCORER = {
    "evaluation",
    "schemas.grading.rubric",
    "schemas.grading.exam_bank",
    "schemas.grading.graded_passage",
    "formats.banks",
}
# Prints the help of every command in one process, and looks after each at what has been imported.
HELP = """
import sys
import typer
from typer.testing import CliRunner
from sidelight.cli.main import app
from tests.helpers.commands import subcommands

heavy = {
    "torch", "jnius", "langgraph", "faiss", "sentence_transformers", "sklearn", "pandas", "scipy",
    "numpy", "matplotlib", "openai", "jinja2",
}

def commands(command, words=()):
    yield words
    for name, one in subcommands(command).items():
        yield from commands(one, (*words, name))

for words in commands(typer.main.get_command(app)):
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0, (words, done.exception)
    assert not heavy & set(sys.modules), (words, heavy & set(sys.modules))
    print(*words)
"""


def lies_in(name: str, rooms: Iterable[str]) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


def room_of(name: str) -> str:
    """The longest room of the table that a module lies in."""
    return max((room for room in ALLOWED if lies_in(name, [room])), key=len, default="")


def may_import(name: str, target: str) -> bool:
    ours, theirs = room_of(name), room_of(target)
    allowed = ALLOWED.get(ours, set())
    if theirs in {ours, *allowed}:
        return True
    return any(one.endswith(".*") and lies_in(theirs, [one[:-2]]) for one in allowed)


def test_every_module_lies_in_a_room_of_the_table() -> None:
    assert {name for name in modules() if not room_of(name)} == {""}
    assert set(ALLOWED) <= {*map(room_of, modules())}


def test_imports_go_one_way() -> None:
    wrong = [
        f"{module.at(one.line)}: {name} imports {one.target}"
        for name, module in modules().items()
        for one in imports(name)
        if name and one.own and not may_import(name, one.target)
    ]
    assert not wrong, listed(wrong)


def test_heavy_packages_are_imported_where_they_belong() -> None:
    wrong = [
        f"{module.at(one.line)}: {name} imports {one.target}"
        for name, module in modules().items()
        for one in imports(name)
        if not one.own and not lies_in(name, HEAVY.get(one.target.partition(".")[0], {name}))
    ]
    assert not wrong, listed(wrong)


def way(start: str, ends: Callable[[str], bool], unseen: Iterable[str] = ()) -> list[str]:
    """The shortest chain of imports from a module to one where it ends, or nothing."""
    came_from: dict[str, tuple[str, str]] = {start: ("", "")}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        if ends(name):
            chain = []
            while name != start:
                name, line = came_from[name]
                chain.append(line)
            return chain[::-1]
        for one in imports(name):
            if one.own and one.target not in {*came_from, *unseen}:
                line = f"{modules()[name].at(one.line)}: imports {one.target}"
                came_from[one.target] = (name, line)
                waiting.append(one.target)
    return []


def ways(rooms: Iterable[str], forbidden: Iterable[str], unseen: Iterable[str] = ()) -> list[str]:
    def ends(name: str) -> bool:
        return lies_in(name, forbidden)

    found = (way(name, ends, unseen) for name in modules() if room_of(name) in {*rooms})
    return [", which\n".join(chain) for chain in found if chain]


def test_the_system_does_not_know_the_scorer() -> None:
    """Not even through what it imports; its files are checked by what knows every format."""
    found = ways(INVESTIGATES, SCORER, unseen=["formats.verdict"])
    assert not found, listed(found)


def test_the_scorer_does_not_know_the_system() -> None:
    rooms = [room for room in ALLOWED if lies_in(room, ["evaluation"])]
    system = {
        "index",
        "retrieval",
        "generation",
        "agents",
        "wiring",
        "runs",
        "view",
        "serve",
        "cli",
    }
    found = ways(rooms, system)
    assert not found, listed(found)


def test_the_command_that_runs_reads_no_rubrics() -> None:
    commands = [name for name in modules() if lies_in(name, ["cli.run"])]
    assert commands
    forbidden = {"formats.banks", "evaluation.labelling.examples", "runs.self_evaluation"}
    known = [
        f"{modules()[name].at(one.line)}: imports {one.target}"
        for name in commands
        for one in imports(name)
        if lies_in(one.target, forbidden)
    ]
    assert not known, listed(known)


def test_no_module_is_imported_by_what_it_imports() -> None:
    """Types count: two modules that need each other's are one."""
    circles = {
        frozenset(step.rpartition(" ")[2] for step in chain): "\n".join(chain)
        for name in modules()
        for one in imports(name)
        if one.own and one.target != name and (chain := way(one.target, name.__eq__))
    }
    assert not circles, listed(circles.values())


def test_the_product_names_the_laboratory_in_one_place() -> None:
    """Where its command is found; a copy of sidelight without it lacks that command alone."""
    found = {
        path.relative_to(ROOT / "sidelight").as_posix()
        for path in (ROOT / "sidelight").rglob("*")
        if path.is_file() and path.suffix != ".pyc" and b"sidelight_research" in path.read_bytes()
    }
    assert found == {"parts.py"}


def test_help_imports_nothing_heavy() -> None:
    command = [sys.executable, "-c", HELP]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {"", "run", "score support", "index build", "reproduce"} <= {*done.stdout.splitlines()}
