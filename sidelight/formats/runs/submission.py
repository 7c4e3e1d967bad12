"""The strict check of a run file, and what is checked in files of every format.

A file that passes it passes the track's validator too (`sidelight.formats.runs.official`), so what
that one refuses is an error here, whatever a tolerant reader would make of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from sidelight.errors import InvalidFileError
from sidelight.formats.findings import Findings, quoted
from sidelight.schemas.run import ReportRun
from sidelight.tracks import run_file_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.lines import TextFile
    from sidelight.schemas.run import SubmittedReport
    from sidelight.schemas.task import Task

C = TypeVar("C", bound="Task")
C_co = TypeVar("C_co", bound="Task", covariant=True)

# C0 but for the tab, C1, and the two Unicode separators that some readers take for a line end.
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class CheckedRun(Generic[C_co]):
    """A run file under its strict check.

    Attributes:
        path: The file.
        task: Whose limits apply.
        topic_ids: The topics to cover.
        known_segments: The ids that exist; None when that is not known.
        findings: What is wrong with the file.
    """

    path: Path
    task: C_co
    topic_ids: Collection[str]
    known_segments: Container[str] | None
    findings: Findings


@dataclass(frozen=True, slots=True)
class StrictCheck(Generic[C]):
    """The strict check of a format, made of a function that looks at one run.

    Attributes:
        look: Adds what is wrong with a run to its findings. It may raise `InvalidFileError`, which
            ends the check.
    """

    look: Callable[[CheckedRun[C]], None]

    def __call__(
        self,
        path: Path,
        task: C,
        topic_ids: Collection[str],
        known_segments: Container[str] | None = None,
    ) -> list[Problem]:
        """Return all that is wrong with a run; one without errors passes the track's validator.

        Args:
            path: The file.
            task: Whose limits to apply.
            topic_ids: The topics to cover.
            known_segments: The ids that exist, if an index is at hand.

        Raises:
            InputError: The file cannot be read.
        """
        findings = Findings(path)
        try:
            self.look(CheckedRun(path, task, topic_ids, known_segments, findings))
        except InvalidFileError as error:
            findings.problems += error.problems
        return findings.problems


class LineIds(NamedTuple):
    """Who one line says it is from."""

    line: int
    team_id: str
    run_id: str


def run_tag_of(path: Path, run_ids: Iterable[str]) -> str:
    """Return what assessments call a run: its file's name.

    In a run directory every run's files have the same names, so there the run id inside speaks.
    """
    inside = set(run_ids)
    return inside.pop() if path.name in run_file_names() and len(inside) == 1 else path.name


def report_run(path: Path, reports: Iterable[SubmittedReport]) -> ReportRun:
    """Return the reports of a file as a run, under the name that `run_tag_of` gives it."""
    found = tuple(reports)
    run_ids = (report.metadata.run_id for report in found)
    return ReportRun(run_tag=run_tag_of(path, run_ids), reports=found)


def check_encoding(file: TextFile, findings: Findings) -> None:
    """Find what a line-based reader could stumble over: BOM, CR LF, blank lines."""
    if file.has_bom:
        findings.error(
            "byte-order-mark",
            1,
            expected="UTF-8 without a byte order mark",
            found="one; the track's validator reads it as a part of the first line",
            remedy="Save the file as plain UTF-8.",
        )
    if file.crlf_lines:
        findings.warning(
            "crlf",
            None,
            expected="lines that end in LF",
            found=f"{file.crlf_lines} that end in CR LF",
            remedy="Save the file with Unix line ends.",
        )
    for line, text in file.lines:
        if not text.strip():
            findings.error(
                "blank-line",
                line,
                expected="no blank line; some readers stop at one",
                found=quoted(text),
                remedy="Remove the line.",
            )


def check_characters(text: str, line: int, findings: Findings) -> None:
    """Find characters that end a line, or cannot be seen, inside a text."""
    match = _CONTROL.search(text)
    if match:
        findings.error(
            "control-character",
            line,
            expected="plain text on one line",
            found=f"U+{ord(match.group()):04X} in {quoted(text)}",
            remedy="Remove the character or put a space in its place.",
        )


def check_ids(run: CheckedRun[Task], ids: Sequence[LineIds]) -> None:
    """Check that all lines are from one run, and that it is named as the track asks."""
    if not ids:
        return
    first, task, findings = ids[0], run.task, run.findings
    for name in ("team_id", "run_id"):
        seen = {getattr(first, name)}
        for item in ids:
            if getattr(item, name) not in seen:
                seen.add(getattr(item, name))
                findings.error(
                    f"{name.replace('_', '-')}-inconsistent",
                    item.line,
                    expected=f"the {name} of line {first.line}, {quoted(getattr(first, name))}",
                    found=quoted(getattr(item, name)),
                    remedy="Put one run in a file.",
                )
    check_characters(first.team_id, first.line, findings)
    if not re.fullmatch(task.run_id_pattern, first.run_id):
        findings.error(
            "run-id-pattern",
            first.line,
            expected=f"a run_id that matches {task.run_id_pattern}",
            found=quoted(first.run_id),
            remedy="Rename the run.",
        )
    if not first.run_id.startswith(first.team_id):
        findings.warning(
            "run-id-prefix",
            first.line,
            expected=f"a run_id that begins with the team_id, {quoted(first.team_id)}",
            found=quoted(first.run_id),
            remedy="Give all runs of a team a common prefix.",
        )
    if run.path.name not in {first.run_id, task.file_name}:
        findings.warning(
            "file-name",
            None,
            expected=f"a file named like its run_id, {quoted(first.run_id)}",
            found=quoted(run.path.name),
            remedy="Rename the file: assessments go by the file name.",
        )


def check_topics(run: CheckedRun[Task], first_lines: Mapping[str, int]) -> None:
    """Check that a file covers the topics, all and no other, by the first line of each in it."""
    for topic_id, line in first_lines.items():
        if topic_id not in run.topic_ids:
            run.findings.error(
                "topic-unknown",
                line,
                expected="a topic of the track",
                found=quoted(topic_id),
                remedy="Remove the topic, or name its topics file with --topics.",
            )
    missing = [topic_id for topic_id in run.topic_ids if topic_id not in first_lines]
    if missing:
        run.findings.error(
            "topic-missing",
            None,
            expected=f"all {len(run.topic_ids)} topics",
            found=f"no line for {', '.join(missing)}",
            remedy="Add the topics; one that is left out scores zero.",
        )
