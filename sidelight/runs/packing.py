"""Submission packing: checked files under their run ids, in the order of their priority.

A run directory is packed only when it is a finished run with valid files.
"""

from __future__ import annotations

import csv
import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.files import make_folder
from sidelight.formats.findings import Findings
from sidelight.formats.lines import read_bytes
from sidelight.formats.runs.run_format import run_format
from sidelight.formats.verdict import RUN_DIRECTORY, Verdict, judge_file, official_problems

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator, Sequence

    from sidelight.runs.directory import RunDirectory
    from sidelight.schemas.task import Task
    from sidelight.tracks import Track

LIST = "runs.csv"


class PackedRun(NamedTuple):
    """One file of a submission.

    Attributes:
        task: The name of the task.
        priority: 1 for the run that is to be judged first.
        run_id: What the run is called, and its file.
        type: `manual` when a person had a hand in it.
        sha256: Hash of the file.
        edited: Files of the run directory that were changed after they were made.
    """

    task: str
    priority: int
    run_id: str
    type: str
    sha256: str
    edited: str


class Packing(NamedTuple):
    """A submission and what to know about it."""

    runs: tuple[PackedRun, ...]
    warnings: tuple[Problem, ...]


def pack_runs(
    runs: Sequence[RunDirectory],
    folder: Path,
    track: Track,
    topic_ids: Collection[str],
    known_segments: Container[str] | None = None,
) -> Packing:
    """Write the files of some runs, and `runs.csv` with their priorities, into a new folder.

    A run of which any file was changed after it was made becomes a manual one: the track calls a
    run automatic only where no person had a hand in it.

    Args:
        runs: Run directories, the most important first.
        folder: Made by this call; left out when a file is invalid.
        track: Whose limits the runs must keep.
        topic_ids: The topics they must cover.
        known_segments: The segments there are; None when that is not known.

    Raises:
        UsageError: The folder has files already, or two runs have one run id.
        InvalidFileError: A file is invalid, strictly or for the track's own validator.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(
            f"{folder}: expected a new folder; found files", remedy="Choose another folder."
        )
    problems = [
        problem
        for run in runs
        for task in track.tasks
        for problem in _check(run.file(task), task, topic_ids, known_segments)
    ]
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise InvalidFileError(errors)
    if track.usual_runs is not None and len(runs) > track.usual_runs:
        problems.append(_too_many(folder, len(runs), track.usual_runs))
    make_folder(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
        staged = Path(scratch, folder.name)
        staged.mkdir()
        packed = sorted(
            item
            for priority, run in enumerate(runs, start=1)
            for item in _write(run, track, priority, staged)
        )
        with (staged / LIST).open("w", encoding="utf-8", newline="") as stream:
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerows([PackedRun._fields, *packed])
        staged.replace(folder)
    return Packing(tuple(packed), tuple(problems))


def _check(
    file: Path, task: Task, topic_ids: Collection[str], known_segments: Container[str] | None
) -> Iterator[Problem]:
    """Yield what is wrong with a file, strictly and for the track's own validator."""
    kept_as = run_format(task)
    strict = kept_as.check(file, task, topic_ids, known_segments)
    yield from strict
    # Of a file that is invalid anyway, the track's validator says the same again, and less of it.
    if kept_as.official and all(problem.severity != "error" for problem in strict):
        yield from official_problems(file, kept_as.official(file, task, topic_ids))


def _write(run: RunDirectory, track: Track, priority: int, folder: Path) -> Iterator[PackedRun]:
    """Write the files of a run, which are known to be valid, under their run ids."""
    edited = sorted(run.edited())
    read = {task.name: run_format(task).read(run.file(task)) for task in track.tasks}
    says = frozenset(kind for one in read.values() for kind in one.types)
    made = "manual" if edited or "manual" in says else "automatic"
    for task in track.tasks:
        (run_id,), file = read[task.name].run_ids, run.file(task)
        path = folder / run_id
        if run_id.casefold() in {LIST, ".", ".."}:
            raise UsageError(
                f"{run.path}: expected a run id that can name a file; found {run_id!r}, which is "
                "the name of another one",
                remedy="Choose another: --set submission.run_id=...",
            )
        if path.exists():
            raise UsageError(
                f"{run.path}: expected run ids that no other run has; found {run_id!r} again",
                remedy="Give each run its own: --set submission.run_id=...",
            )
        content = run_format(task).as_manual(file) if edited else read_bytes(file)
        path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        yield PackedRun(task.name, priority, run_id, made, digest, " ".join(edited))


def _too_many(folder: Path, count: int, usual: int) -> Problem:
    return Problem(
        "runs-many",
        str(folder / LIST),
        None,
        f"at most {usual} runs per task",
        str(count),
        "Ask the organizers first; they judge runs in the order of priority.",
        "warning",
    )


def judge_run(
    run: RunDirectory,
    topic_ids: Collection[str] | None,
    *,
    known_segments: Container[str] | None = None,
    official: bool = False,
) -> list[Verdict]:
    """Find out whether a run directory is a finished run, and whether its files are valid.

    Args:
        run: The folder.
        topic_ids: The topics the run has to cover; None for those it was made for.
        known_segments: The segments there are; None when that is not known.
        official: Apply the rules of the track's own validator to the files.

    Returns:
        The verdict on the folder, then those on the files of its track.
    """
    findings = Findings(run.path)
    try:
        manifest = run.read_manifest()
    except InputError as error:
        findings.error(
            "run-unfinished",
            None,
            expected="a finished run",
            found="a folder without a manifest that this version reads",
            remedy=error.remedy,
        )
        return [Verdict(str(run.path), None, tuple(findings.problems))]
    for topic_id in manifest.failed_topics:
        findings.error(
            "run-failed-topic",
            None,
            expected="all topics finished",
            found=f"{topic_id} failed",
            remedy="Call `sidelight run` again with the same options.",
        )
    for name in sorted(run.edited()):
        findings.warning(
            "run-edited",
            None,
            expected="files as the run made them",
            found=f"{name} changed since",
            remedy="`pack` submits such a run as a manual one.",
        )
    wanted = (*manifest.topics, *manifest.failed_topics) if topic_ids is None else topic_ids
    track = run.read_track()
    files = [
        judge_file(run.file(task), track, wanted, known_segments=known_segments, official=official)
        for task in track.tasks
    ]
    return [
        Verdict(str(run.path), RUN_DIRECTORY, tuple(findings.problems), len(manifest.topics)),
        *files,
    ]
