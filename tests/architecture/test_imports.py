"""Imports go one way, and heavy packages stay where they belong."""

import re
import subprocess
import sys
from collections import deque

from tests.helpers.package import ROOT, imports, listed, modules

# What each room may import besides itself; `sidelight`, which scripts import, may import all.
# `plugins` is for packages with parts of their own, so no room may import it; nor may any import
# `sidelight_research`. A room is a module or a folder, with the folders in it that are not listed
# themselves; `.*` adds those that are.
GROUPS = {
    "BASE": "errors text text_vectors files plain_yaml schemas",
    "MIDDLE": "BASE parts registry tracks formats config",
    "MODEL": "prompting llm",
    "SYSTEM": "checks english index retrieval generation.* agents",
}
ROOMS = """
errors:
text:
versions:
transport: errors
files: errors
plain_yaml:
schemas: errors text
prompting: errors text schemas files plain_yaml
text_vectors:
english: BASE formats
learned: BASE english
parts:
registry: errors files parts
sample: BASE
tracks: BASE registry
formats: BASE tracks registry
config: BASE parts registry tracks transport
llm: BASE prompting transport
index: MIDDLE versions transport
retrieval: MIDDLE index
checks: BASE MODEL learned
generation: BASE tracks checks english
generation.narratives: BASE MODEL generation.prompted
generation.extractive: BASE tracks checks generation english learned
generation.prompted: BASE MODEL tracks checks english generation.*
agents: BASE tracks retrieval generation english
evaluation: MIDDLE MODEL checks learned evaluation.*
evaluation.metrics: BASE registry
evaluation.scoring: MIDDLE checks evaluation.metrics
evaluation.agreement: MIDDLE checks learned evaluation.agreement.coefficients evaluation.labelling
   evaluation.scoring
evaluation.agreement.coefficients: BASE
evaluation.figures: BASE evaluation.scoring evaluation.agreement
evaluation.labelling: MIDDLE MODEL checks learned evaluation.agreement.coefficients
evaluation.audit: MIDDLE evaluation.metrics evaluation.labelling learned
plugins: BASE MODEL formats index retrieval generation.* evaluation.labelling evaluation.metrics
runs: MIDDLE llm agents versions
runs.self_evaluation: MIDDLE runs evaluation.*
wiring: MIDDLE MODEL SYSTEM runs versions transport
wiring.judges: MIDDLE MODEL wiring index evaluation.labelling
view: MIDDLE runs evaluation.* english generation
serve: MIDDLE runs view versions english
library: MIDDLE index retrieval evaluation.* runs.* wiring.* cli
ablation: MIDDLE MODEL SYSTEM versions evaluation.* runs.* wiring.*
reproduction: MIDDLE MODEL index runs.* wiring versions
cli: MIDDLE MODEL versions transport sample checks learned index retrieval evaluation.* runs.*
   wiring.* view serve ablation reproduction
sidelight_research: MIDDLE MODEL learned evaluation.* checks index generation
   generation.extractive cli
"""


def allowed(words):
    """Return the rooms that some words name, those of a group for its name."""
    found = set()
    for word in words.split():
        found |= allowed(GROUPS[word]) if word in GROUPS else {word}
    return found


ALLOWED = {
    room: allowed(words) for room, words in re.findall(r"(?m)^([\w.]+):((?: .*|\n  .*)*)$", ROOMS)
}
# Where a foreign package may be imported.
HEAVY = {
    package: {*rooms}
    for packages, *rooms in (
        ("pyserini jnius jnius_config faiss torch sentence_transformers", "index", "retrieval"),
        ("onnxruntime ray", "index"),
        ("langgraph", "agents"),
        ("langsmith", "versions"),
        ("openai", "llm"),
        ("spacy", "english"),
        ("fastapi uvicorn", "serve"),
        ("jinja2", "prompting", "view"),
    )
    for package in packages.split()
}
# What makes a run, and what must stay out of its sight.
INVESTIGATES = allowed(
    "MODEL config tracks parts registry retrieval checks english agents index runs wiring"
) | {room for room in ALLOWED if room.startswith("generation")}
SCORER = """evaluation schemas.grading.rubric schemas.grading.exam_bank
schemas.grading.graded_passage formats.banks""".split()
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
    done = CliRunner().invoke(app, [*words, "-h"])
    assert done.exit_code == 0 and "Usage:" in done.stdout, (words, done.exception)
    assert not heavy & set(sys.modules), (words, heavy & set(sys.modules))
    print(*words)
"""
# Checks a file, and says on stderr what was imported that this does not need.
VALIDATE = """
import sys
from sidelight.cli.main import main
from sidelight.sample import sample_path

sys.argv = ["sidelight", "validate", str(sample_path() / "topics.jsonl")]
try:
    main()
finally:
    slow = {"asyncio", "sidelight.config.settings", "sidelight.llm", "sidelight.wiring"}
    if found := slow & set(sys.modules):
        print(found, file=sys.stderr)
"""


def lies_in(name, rooms):
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


def room_of(name):
    """The longest room of the table that a module lies in."""
    return max((room for room in ALLOWED if lies_in(name, [room])), key=len, default="")


def may_import(name, target):
    ours, theirs = room_of(name), room_of(target)
    allowed = ALLOWED.get(ours, set())
    if theirs in {ours, *allowed}:
        return True
    return any(one.endswith(".*") and lies_in(theirs, [one[:-2]]) for one in allowed)


def test_every_module_lies_in_a_room_of_the_table():
    assert {name for name in modules() if not room_of(name)} == {""}
    assert set(ALLOWED) <= {*map(room_of, modules())}


def assert_no_import(is_wrong):
    """Fail with every import, by module and imported, that is wrong."""
    wrong = [
        f"{module.at(one.line)}: {name} imports {one.target}"
        for name, module in modules().items()
        for one in imports(name)
        if is_wrong(name, one)
    ]
    assert not wrong, listed(wrong)


def test_imports_go_one_way():
    assert_no_import(lambda name, one: name and one.own and not may_import(name, one.target))


def test_heavy_packages_are_imported_where_they_belong():
    def is_elsewhere(name, one):
        return not one.own and not lies_in(name, HEAVY.get(one.target.partition(".")[0], {name}))

    assert_no_import(is_elsewhere)


def way(start, ends, unseen=()):
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


def ways(rooms, forbidden, unseen=()):
    def ends(name):
        return lies_in(name, forbidden)

    found = (way(name, ends, unseen) for name in modules() if room_of(name) in {*rooms})
    return [", which\n".join(chain) for chain in found if chain]


def test_the_system_does_not_know_the_scorer():
    """Not even through what it imports; its files are checked by what knows every format."""
    found = ways(INVESTIGATES, SCORER, unseen=["formats.verdict"])
    assert not found, listed(found)


def test_the_scorer_does_not_know_the_system():
    rooms = [room for room in ALLOWED if lies_in(room, ["evaluation"])]
    found = ways(rooms, "index retrieval generation agents wiring runs view serve cli".split())
    assert not found, listed(found)


def test_the_command_that_runs_reads_no_rubrics():
    assert [name for name in modules() if lies_in(name, ["cli.run"])]
    rubrics = {"formats.banks", "evaluation.labelling.examples", "runs.self_evaluation"}
    assert_no_import(lambda name, one: lies_in(name, ["cli.run"]) and lies_in(one.target, rubrics))


def test_no_module_is_imported_by_what_it_imports():
    """Types count: two modules that need each other's are one."""
    circles = {
        frozenset(step.rpartition(" ")[2] for step in chain): "\n".join(chain)
        for name in modules()
        for one in imports(name)
        if one.own and one.target != name and (chain := way(one.target, name.__eq__))
    }
    assert not circles, listed(circles.values())


def test_the_product_names_the_laboratory_in_one_place():
    """Where its command is found; a copy of sidelight without it lacks that command alone."""
    found = {
        path.relative_to(ROOT / "sidelight").as_posix()
        for path in (ROOT / "sidelight").rglob("*")
        if path.is_file() and path.suffix != ".pyc" and b"sidelight_research" in path.read_bytes()
    }
    assert found == {"parts.py"}


def test_help_imports_nothing_heavy():
    command = [sys.executable, "-c", HELP]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {"", "run", "score support", "index build", "reproduce"} <= {*done.stdout.splitlines()}


def test_validate_imports_neither_settings_nor_what_asks_models():
    command = [sys.executable, "-c", VALIDATE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "valid topics file" in done.stdout
    assert done.stderr == ""
