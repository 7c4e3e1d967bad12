"""Validates one file of any kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.formats.detect import FileKind, detect_format, kinds_of
from sidelight.formats.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable
    from pathlib import Path

    from sidelight.tracks import Track


# A folder, whose files have kinds of their own; what it holds is told by who reads it.
RUN_DIRECTORY = FileKind("run", "run directory", "topic", lambda _: 0)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out about a file.

    Attributes:
        file: The file as the user named it.
        kind: What it is; None when that cannot be told, or is nothing the track has.
        problems: Errors and warnings.
        size: How many of its kind's units it holds; 0 when it is invalid.
    """

    file: str
    kind: FileKind | None
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
    kinds = kinds_of(track)
    try:
        name = detect_format(path)
    except InputError as error:
        findings.error(
            "unreadable",
            None,
            expected="a file that can be read",
            found=error.message,
            remedy=error.remedy,
        )
        return Verdict(str(path), None, tuple(findings.problems))
    kind = kinds.get(name) if name else None
    if kind is None:
        findings.error(
            "kind-unknown",
            None,
            expected=f"one of {', '.join(dict.fromkeys(one.title for one in kinds.values()))}",
            found=f"what looks like {name}" if name else "nothing that looks like one",
            remedy="Compare the file with docs/formats.md.",
        )
        return Verdict(str(path), None, tuple(findings.problems))
    if official:
        _check_officially(path, kind, topic_ids, findings)
        size = len(topic_ids)
    else:
        size = _check_strictly(path, kind, topic_ids, known_segments, findings)
    verdict = Verdict(str(path), kind, tuple(findings.problems), size)
    return verdict if verdict.valid else replace(verdict, size=0)


def _check_officially(
    path: Path, kind: FileKind, topic_ids: Collection[str], findings: Findings
) -> None:
    if kind.official is None:
        raise UsageError(
            f"{path}: --official is for runs whose track has a validator of its own; this is a "
            f"{kind.title}",
            remedy="Leave out --official.",
        )
    findings.problems += official_problems(path, kind.official(path, topic_ids))


def official_problems(path: Path, objections: Iterable[str]) -> list[Problem]:
    """Return what a track's own validator objects to, as problems of the file."""
    findings = Findings(path)
    for objection in objections:
        findings.error(
            "official",
            None,
            expected="what the track's validator accepts",
            found=objection,
            remedy="Without --official the check says more.",
        )
    return findings.problems


def _check_strictly(
    path: Path,
    kind: FileKind,
    topic_ids: Collection[str],
    known_segments: Container[str] | None,
    findings: Findings,
) -> int:
    if kind.check is not None:
        findings.problems += kind.check(path, topic_ids, known_segments)
    try:
        return kind.size(path)
    except InvalidFileError as error:
        if not findings.problems:
            findings.problems += error.problems
        return 0
