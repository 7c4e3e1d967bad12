"""Do a recorded run again without a model, and compare what comes out byte for byte."""

from __future__ import annotations

import tempfile
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.build.graphs import open_graph
from sidelight.build.models import ModelAccess
from sidelight.errors import Problem
from sidelight.files import read_limited
from sidelight.formats.findings import quoted
from sidelight.runs.directory import as_json
from sidelight.runs.runner import run_topics
from sidelight.runs.self_evaluation.rubrics import given_rubrics
from sidelight.runs.self_evaluation.scores import score_assessments, write_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.build.investigation import Sources
    from sidelight.config.settings import Settings
    from sidelight.errors import Severity
    from sidelight.runs.directory import RunDirectory
    from sidelight.runs.runner import RunSummary
    from sidelight.schemas.run_manifest import RunManifest
    from sidelight.schemas.task import Task
    from sidelight.schemas.topic import Topic

_CAUSE = "Use the versions that made the run; if they are the same, something was edited."
# Characters shown before the first that differs; of long lines, only their ends are.
_BEFORE = 10


async def replay_run(
    topics: Sequence[Topic],
    settings: Settings,
    index_fingerprint: str,
    sources: Sources,
    cache: Path,
    out: Path,
    on_topic: Callable[[str], None],
) -> RunSummary:
    """Do a run again in a new folder; models are never asked, only the cache.

    Raises:
        OfflineError: The cache lacks a reply that the run now needs.
    """
    access = ModelAccess(cache=cache, offline=True)
    return await run_topics(
        topics,
        settings,
        index_fingerprint,
        lambda: open_graph(settings, sources, access),
        out,
        on_topic=on_topic,
    )


def compare_runs(recorded: RunDirectory, replayed: RunDirectory) -> list[Problem]:
    """Return every difference between the files of two runs, each with its first line.

    Other versions of packages are no difference between runs, and so a warning.
    """
    problems = []
    tasks = recorded.read_track().tasks
    for name in sorted(_files(recorded, tasks) | _files(replayed, tasks)):
        found, expected = recorded.path / name, replayed.path / name
        problems += _differences(found, _lines(expected), _lines(found))
    old, new = recorded.read_manifest(), replayed.read_manifest()
    return [
        *problems,
        *_differences(recorded.manifest, _but_packages(new), _but_packages(old)),
        *_differences(
            recorded.manifest, _json_lines(new.packages), _json_lines(old.packages), "warning"
        ),
    ]


def compare_scores(scores: Path, rubrics: Path, run: RunDirectory) -> list[Problem]:
    """Return every difference between score files and what the assessments beside them come to."""
    known = given_rubrics(rubrics, run.read_manifest().topics)
    with tempfile.TemporaryDirectory(prefix="sidelight-") as scratch:
        computed = score_assessments(scores, known, run.read_track())
        return [
            problem
            for path in write_scores(computed, Path(scratch))
            for problem in _differences(
                scores / path.name, _lines(path), _lines(scores / path.name)
            )
        ]


def _files(run: RunDirectory, tasks: Sequence[Task]) -> set[str]:
    """Return the paths, in its folder, of the files that a run makes besides its manifest."""
    runs = (run.file(task) for task in tasks)
    files = (run.config, *runs, run.failures, *run.traces.glob("*.json"))
    return {path.relative_to(run.path).as_posix() for path in files}


def _lines(path: Path) -> list[str]:
    return read_limited(path).decode(errors="replace").split("\n") if path.exists() else []


def _but_packages(manifest: RunManifest) -> list[str]:
    return _json_lines(manifest.model_dump(mode="json", exclude={"packages"}))


def _json_lines(value: object) -> list[str]:
    return as_json(value).splitlines()


def _differences(
    path: Path, expected: Sequence[str], found: Sequence[str], severity: Severity = "error"
) -> list[Problem]:
    """Return the first difference between a file and what a replay gives, if there is one."""
    for number, (new, old) in enumerate(zip_longest(expected, found), start=1):
        if new != old:
            same = takewhile(
                lambda pair: pair[0] == pair[1], zip(new or "", old or "", strict=False)
            )
            begin = max(0, sum(1 for _ in same) - _BEFORE)
            shown = _shown(new, begin), _shown(old, begin)
            return [Problem("replay-differs", str(path), number, *shown, _CAUSE, severity)]
    return []


def _shown(line: str | None, begin: int) -> str:
    return "no such line" if line is None else quoted(line[begin:])
