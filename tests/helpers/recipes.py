"""Recipes of a document: their files written, their changes made, and their commands carried out.

A recipe is a section (`## Title`) with at least one block of commands, or a whole tutorial. Of its
fenced blocks

- one whose first line is `# path/of/a.file` is that file, without that line;
- `diff` is applied to sidelight; the numbers in its `@@` lines may be wrong;
- `sh` is carried out, and a `text` block after it holds parts of what it prints, in order;
- others are for readers alone, such as `bash` with what depends on where they are.

All happens in one folder, in the order of the page, and variables last to its end. `sidelight` in
it is this checkout, or a copy where the recipe adds to it or changes it; `pip install .` installs
for this recipe alone.
"""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import sidelight
from tests.helpers import warm

PACKAGE = Path(sidelight.__file__).parent
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# ([\w.-]+(?:/[\w.-]+)*\.\w+)\n")
_COMMANDS = {
    "python": '"$@"',
    # Nothing is fetched, and nothing goes into the environment of the tests.
    "pip": '-m pip "$@" --quiet --no-deps --no-index --no-build-isolation --target "$SITE"',
    # What it makes is there before.
    "make": '-c ""',
}

# What a block sets, the next one has.
_BEFORE = "set -a\n[ -f .variables ] && . ./.variables\n"
_AFTER = "export -p > .variables\n"


class Recipe(NamedTuple):
    """A recipe: its title, and its blocks as (language, text)."""

    title: str
    blocks: tuple[tuple[str, str], ...]

    @property
    def changes_sidelight(self):
        """Whether it adds to sidelight or changes it."""
        return any(kind == "diff" or text.startswith("# sidelight/") for kind, text in self.blocks)


def read_recipes(document):
    """Return the recipes of a document, in its order."""
    sections = re.split(r"^## ", document.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    recipes = [
        Recipe(section.partition("\n")[0], tuple(_BLOCK.findall(section))) for section in sections
    ]
    return [one for one in recipes if any(kind == "sh" for kind, _ in one.blocks)]


def read_tutorial(document):
    """Return all blocks of a document as one recipe."""
    text = document.read_text(encoding="utf-8")
    return Recipe(document.name, tuple(_BLOCK.findall(text)))


def carry_out(recipe, folder, **environment):
    """Do what a recipe says in a folder, with some variables; what is there is begun from."""
    site, copied = folder / ".site", folder / PACKAGE.name
    source = folder if recipe.changes_sidelight else PACKAGE.parent
    if recipe.changes_sidelight:
        shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    elif not copied.exists():
        copied.symlink_to(PACKAGE)
    variables = {
        **os.environ,
        "INSTALLED": os.pathsep.join(map(str, (site, source))),
        "PATH": f"{_commands(folder / '.bin')}{os.pathsep}{os.environ['PATH']}",
        "SITE": str(site),
        **environment,
    }

    def run(command, given):
        done = subprocess.run(
            command,
            cwd=folder,
            env=variables,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{recipe.title}: {given}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    printed = ""
    for kind, text in recipe.blocks:
        if named := _FILE.match(text):
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text[named.end() :], encoding="utf-8")
        elif kind == "diff":
            for change in re.split(r"^(?=--- )", text, flags=re.MULTILINE)[1:]:
                run(["git", "apply", "--recount", "--unidiff-zero", "-"], change)
        elif kind == "sh":
            printed = run(["bash", "-e"], f"{_BEFORE}{text}{_AFTER}")
        elif kind == "text":
            at = 0
            for line in text.splitlines():
                at = printed.find(line, at)
                assert at >= 0, f"{recipe.title}: expected {line!r} in\n{printed}"


@cache
def _warm():
    """Start what carries `sidelight` out; return its socket, and its process, which is to stay."""
    path = f"{mkdtemp()}/socket"
    command = [sys.executable, "-E", "-P", warm.__file__, path]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    return path, process


def _commands(folder):
    """Write the commands that recipes use: those of this Python."""
    folder.mkdir(exist_ok=True)
    # As a command that is installed, `sidelight` does not see the folder that it is called in.
    sidelight = f'-S {warm.__file__} {_warm()[0]} "$@"'
    for name, arguments in (_COMMANDS | {"sidelight": sidelight}).items():
        path = folder / name
        path.write_text(
            '#!/bin/sh\nexport PYTHONPATH="$INSTALLED${PYTHONPATH:+:$PYTHONPATH}"\n'
            f'exec "{sys.executable}" {arguments}\n',
            encoding="utf-8",
        )
        path.chmod(0o755)
    return folder
