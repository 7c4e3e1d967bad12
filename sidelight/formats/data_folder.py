"""Finds the parts of a track's data in the folder in which its organizers lay them out.

```text
topics.jsonl
human_rubrics/*.json
human_assessments/question_assessments.csv        runs/question_generation_runs/<run_tag>
human_assessments/report_assessments.csv          runs/report_generation_runs/<run_tag>
human_assessments/compound_question_check.csv
```

Their public repository has other names and places (`data/`, `auto_judge/output/`). A part that is
not where it is expected is therefore looked for anywhere in the folder, by what files hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sidelight.errors import InputError
from sidelight.formats.labels.assessments import PEOPLE_LABELS
from sidelight.formats.runs.submission import run_formats
from sidelight.formats.table import columns_of
from sidelight.formats.verdict import detect_format
from sidelight.registry import check_path


class DataPart(StrEnum):
    """A file or folder of the data folder, by its path there."""

    TOPICS = "topics.jsonl"
    RUBRICS = "human_rubrics"
    QUESTION_ASSESSMENTS = "human_assessments/question_assessments.csv"
    REPORT_ASSESSMENTS = "human_assessments/report_assessments.csv"
    COMPOUND_CHECK = "human_assessments/compound_question_check.csv"
    QUESTION_RUNS = "runs/question_generation_runs"
    REPORT_RUNS = "runs/report_generation_runs"
    AUTO_QUESTION_ASSESSMENTS = "auto_judge/output/auto_question_assessments.csv"
    AUTO_REPORT_ASSESSMENTS = "auto_judge/output/auto_report_assessments.csv"


class _Wanted(NamedTuple):
    """What a part holds.

    Attributes:
        kind: Of the file, or of those in the folder: its format as `detect_format` names it; of a
            run, the kind of its task.
        suffixes: How names of such files end; any where there are none.
        folder: Whether the part is a folder of such files.
        by_people: Whether labels are people's or a judge's; None where that is no question.
    """

    kind: str
    suffixes: tuple[str, ...] = (".csv",)
    folder: bool = False
    by_people: bool | None = None


_WANTED = {
    DataPart.TOPICS: _Wanted("articles_jsonl", (".jsonl", ".json")),
    DataPart.RUBRICS: _Wanted("rubric", (".json",), folder=True),
    DataPart.QUESTION_ASSESSMENTS: _Wanted("question_assessments", by_people=True),
    DataPart.REPORT_ASSESSMENTS: _Wanted("report_assessments", by_people=True),
    DataPart.COMPOUND_CHECK: _Wanted("compound_assessments"),
    DataPart.QUESTION_RUNS: _Wanted("question_list", (), folder=True),
    DataPart.REPORT_RUNS: _Wanted("cited_text", (), folder=True),
    DataPart.AUTO_QUESTION_ASSESSMENTS: _Wanted("question_assessments", by_people=False),
    DataPart.AUTO_REPORT_ASSESSMENTS: _Wanted("report_assessments", by_people=False),
}

_DEPTH = 5  # folders within folders; the organizers' repository has three
_MAX_FILES = 20_000  # looked at; more is no folder of a track's data
_SPEAKING = 3  # of the files in a folder are looked into; a note may lie among its runs
_MAX_BYTES = 2**28  # of a file that is looked into: indexes and collections have larger ones


def find_part(folder: Path, part: DataPart) -> Path:
    """Return where a part lies; raise InputError if nothing, or more than one thing, may be it."""
    if not folder.is_dir():
        raise InputError(f"{folder}: expected a folder; found none", remedy=check_path(folder))
    path = look_for(folder, part)
    if path is None and (by_judge := labels_by_judge(folder, part)):
        raise InputError(
            f"{folder / part}: expected labels by people; found only labels by a judge: {by_judge}",
            remedy=f"`score` scores by the judge's labels with --assessments {by_judge}.",
        )
    if path is None:
        raise InputError(
            f"{folder / part}: expected this part of the data folder; it does not exist, and "
            f"no other file in the folder is of the kind {_WANTED[part].kind.replace('_', ' ')}",
            remedy="Lay the folder out as docs/formats.md says, or name the part by its option.",
        )
    return path


def labels_by_judge(folder: Path, part: DataPart) -> str:
    """Return the files with a judge's labels of what a part holds people's of; empty for none."""
    wanted = _WANTED[part]
    found = _holding(folder, wanted._replace(by_people=False)) if wanted.by_people else ()
    return " or ".join(map(str, found))


def run_files(folder: Path, part: DataPart) -> list[Path]:
    """Return the run files of a part, sorted, none where it is missing; hidden ones are no runs."""
    runs = look_for(folder, part)
    paths = sorted(runs.iterdir()) if runs else []
    return [path for path in paths if path.is_file() and not path.name.startswith(".")]


def look_for(folder: Path, part: DataPart) -> Path | None:
    """Return where a part lies: at its place, or wherever its content is found; None if nowhere.

    InputError is raised if more than one file or folder may be it.
    """
    path = folder / part
    if path.exists():
        return path
    found = _holding(folder, _WANTED[part])
    named = [one for one in found if one.name == path.name]
    if len(named) == 1:  # its own name tells it from others that hold the like
        return named[0]
    if len(found) > 1:
        raise InputError(
            f"{folder}: expected one {part}; found {found[0]} and {found[1]}",
            remedy=f"Keep one of them, as {part}, or name it by its own option.",
        )
    return found[0] if found else None


def _holding(folder: Path, wanted: _Wanted) -> list[Path]:
    """Return the files, or folders of files, that hold what is wanted, sorted."""
    files = sorted(islice(_walk(folder), _MAX_FILES))
    if not wanted.folder:
        return [path for path in files if _holds(path, wanted)]
    within: dict[Path, list[Path]] = {}
    for path in files:
        if path.name.endswith(wanted.suffixes or ""):
            within.setdefault(path.parent, []).append(path)
    return [
        parent
        for parent, paths in within.items()
        if any(_holds(path, wanted) for path in paths[:_SPEAKING])
    ]


def _holds(path: Path, wanted: _Wanted) -> bool:
    if not path.name.endswith(wanted.suffixes or "") or path.stat().st_size > _MAX_BYTES:
        return False
    found = detect_format(path)
    run = run_formats().get(found or "")
    if (run.kind if run else found) != wanted.kind:
        return False
    if wanted.by_people is None:
        return True
    with path.open("rb") as stream:
        header = stream.readline().decode("utf-8", errors="replace")
    return (PEOPLE_LABELS in columns_of(header)) is wanted.by_people


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that do not lie too deep, hidden ones left out."""
    for root, folders, names in os.walk(folder):
        depth = len(Path(root).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and depth < _DEPTH)
        yield from (Path(root, name) for name in sorted(names) if not name.startswith("."))
