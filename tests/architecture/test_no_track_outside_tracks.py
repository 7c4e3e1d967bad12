"""No part of the package knows a track by its numbers or names: a track is data in `tracks/`."""

import re
from pathlib import Path

import sidelight

PACKAGE = Path(sidelight.__file__).parent

FORBIDDEN = {
    "the name of a track": r"dragun|\brag ?20?2[45]\b",
    "the name of a task": r"\btask[ _-]?[12]\b",
    "the suffix of a run id": r"-t[12]\b",
    "a file of the organizers": r"(?:question|report)_generation_runs|human_(?:rubrics|assessments)"
    r"|starter[ _-]kit",
    "a limit written out": r"\bten (?:ranked |submitted )?questions\b|\b(?:250|400)-word\b",
}
# A source of a definition may be cited by its title.
CITATION = re.compile(r"resources paper|assessment guidelines|\boverview\b|support evaluation of")
# A command may be called what users type.
COMMAND_NAME = re.compile(r"\.command\(\"[a-z0-9]+\"\)$")
# Where a track may be known: its data, its formats, the list of tracks, its published figures, and
# the prompts, which are versioned files.
AT_HOME = (
    *("tracks/", "sample/", "parts.py", "learned/"),  # which says whose labels it learned from
    *("formats/data_folder.py", "formats/runs/submission.py", "formats/runs/cited_sentences.py"),
    "formats/labels/assessments.py",
)


def test_no_track_outside_tracks():
    found = [
        f"{name}:{number}: {what}: {text.strip()}"
        for path in sorted(PACKAGE.rglob("*"))
        if not (name := path.relative_to(PACKAGE).as_posix()).startswith(AT_HOME)
        and path.suffix in {".py", ".yml", ".html", ".jinja"}
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for what, pattern in FORBIDDEN.items()
        if re.search(pattern, text, re.IGNORECASE)
        and not CITATION.search(text)
        and not (name.startswith("cli/") and COMMAND_NAME.search(text))
    ]
    assert not found, "\n".join(found)
