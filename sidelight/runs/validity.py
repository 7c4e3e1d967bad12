"""The verdict on a run directory: is it a finished run, and are its files valid?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.formats.findings import Findings
from sidelight.formats.verdict import RUN_DIRECTORY, Verdict, judge_file

if TYPE_CHECKING:
    from collections.abc import Collection, Container

    from sidelight.runs.directory import RunDirectory


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
