"""The verdict on one file of any kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.formats.detect import KINDS, detect_kind
from sidelight.formats.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Collection, Container
    from pathlib import Path

    from sidelight.formats.detect import FileKind
    from sidelight.tracks import Track


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out about a file.

    Attributes:
        file: The file as the user named it.
        kind: Its kind, a key of `KINDS`; None when it cannot be told.
        problems: Errors and warnings.
        size: How many of its kind's units it holds; 0 when it is invalid.
    """

    file: str
    kind: str | None
    problems: tuple[Problem, ...]
    size: int = 0

    @property
    def valid(self) -> bool:
        """Tell whether there is no error; warnings are allowed."""
        return all(problem.severity != "error" for problem in self.problems)


def judge_file(
    path: Path,
    track: Track,
    topic_ids: Collection[str],
    *,
    known_segments: Container[str] | None = None,
    official: bool = False,
) -> Verdict:
    """Find out what a file is and whether it is valid.

    Args:
        path: The file; one that cannot be read is invalid.
        track: Whose limits apply to runs.
        topic_ids: The topics a run has to cover.
        known_segments: The segments there are; None when that is not known.
        official: Apply the rules of the track's own validator in place of our strict ones.

    Raises:
        UsageError: `official` was asked for a file that is no run.
    """
    findings = Findings(path)
    try:
        kind = detect_kind(path)
    except InputError as error:
        findings.error(
            "unreadable",
            None,
            expected="a file that can be read",
            found=error.message,
            remedy=error.remedy,
        )
        return Verdict(str(path), None, tuple(findings.problems))
    if kind is None:
        findings.error(
            "kind-unknown",
            None,
            expected=f"one of {', '.join(rules.title for rules in KINDS.values())}",
            found="nothing that looks like one",
            remedy="Compare the file with docs/formats.md.",
        )
        return Verdict(str(path), None, tuple(findings.problems))
    if official:
        _check_officially(path, KINDS[kind], topic_ids, findings)
        size = len(topic_ids)
    else:
        size = _check_strictly(path, KINDS[kind], track, topic_ids, known_segments, findings)
    verdict = Verdict(str(path), kind, tuple(findings.problems), size)
    return verdict if verdict.valid else replace(verdict, size=0)


def _check_officially(
    path: Path, kind: FileKind, topic_ids: Collection[str], findings: Findings
) -> None:
    if kind.official is None:
        raise UsageError(
            f"{path}: --official is for Task 1 and Task 2 runs; this is a {kind.title}",
            remedy="Leave out --official.",
        )
    for objection in kind.official(path, topic_ids):
        findings.error(
            "official",
            None,
            expected="what the track's validator accepts",
            found=objection,
            remedy="Without --official the check says more.",
        )


def _check_strictly(
    path: Path,
    kind: FileKind,
    track: Track,
    topic_ids: Collection[str],
    known_segments: Container[str] | None,
    findings: Findings,
) -> int:
    if kind.check is not None:
        findings.problems += kind.check(path, track, topic_ids, known_segments)
    try:
        return kind.size(path, track)
    except InvalidFileError as error:
        if not findings.problems:
            findings.problems += error.problems
        return 0
