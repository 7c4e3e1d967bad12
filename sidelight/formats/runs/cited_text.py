"""`reports_jsonl`: a report a line, `metadata` and `responses` of `text` and `citations`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings
from sidelight.formats.lines import read_json_lines
from sidelight.formats.runs.cited_sentences import (
    check_constant,
    check_reports,
    inert,
    manual_lines,
    repeated_topic,
    strict_lines,
)
from sidelight.formats.runs.official import official_reports
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import report_run
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, RunType, SubmittedReport
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import CitedTextTask


class _MetadataLine(BaseModel):
    """Only what assessments go by is required: the organizers document no more for scoring."""

    team_id: str = ""
    run_id: str
    topic_id: str
    type: RunType = "automatic"


class _SentenceLine(BaseModel):
    text: str
    citations: tuple[str, ...] = ()


class _ReportLine(BaseModel):
    metadata: _MetadataLine
    responses: tuple[_SentenceLine, ...]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _StrictMetadata(_Strict):
    team_id: str
    run_id: str
    topic_id: str
    type: RunType
    # Literal[0, 1] would let True and 1.0 pass.
    use_starter_kit: Annotated[StrictInt, Field(ge=0, le=1)]


class _StrictSentence(_Strict):
    text: str
    citations: list[str]


class _StrictReport(_Strict):
    metadata: _StrictMetadata
    responses: list[_StrictSentence]


def read_report_run(path: Path) -> ReportRun:
    """Read a run, whatever the track would say to it; keys it does not need are ignored.

    The file's name becomes the run tag, as in the organizers' assessments; see `run_tag_of`.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no report, or a topic occurs twice.
    """
    findings = Findings(path)
    reports: dict[tuple[str, str], SubmittedReport] = {}
    for line, content in read_json_lines(path):
        try:
            report = SubmittedReport(**_ReportLine.model_validate(content).model_dump())
        except ValidationError as error:
            findings.invalid(
                error, line, what="a report", remedy="Compare the line with docs/formats.md."
            )
            continue
        key = (report.metadata.topic_id, report.metadata.run_id)
        if key in reports:
            repeated_topic(report.metadata.topic_id, line, "a report", findings)
        reports[key] = report
    findings.raise_errors()
    return report_run(path, reports.values())


def write_report_run(path: Path, reports: Iterable[SubmittedReport]) -> None:
    """Write one JSON line a report: keys in the track's order, text that nothing acts on."""
    with atomic_writer(path) as stream:
        for report in reports:
            content = report.model_dump()
            content["metadata"]["use_starter_kit"] = 0
            for sentence in content["responses"]:
                sentence["text"] = inert(one_line(sentence["text"]))
            stream.write(orjson.dumps(content).decode() + "\n")


def check_report_run(
    path: Path,
    task: CitedTextTask,
    topic_ids: Collection[str],
    known_segments: Container[str] | None = None,
) -> list[Problem]:
    """Return all that is wrong with a run; one without errors also passes the track's validator.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The topics to cover.
        known_segments: The ids that exist, if an index is at hand.

    Raises:
        InputError: The file cannot be read.
    """
    findings = Findings(path)
    reports, first_lines = strict_lines(path, _StrictReport, "topic_id", "a report", findings)
    for name in ("type", "use_starter_kit"):
        check_constant(
            name, [(line, getattr(item.metadata, name)) for line, item in reports], findings
        )
    read = [
        (
            SubmittedReport(**item.model_dump(exclude={"metadata": {"use_starter_kit"}})),
            [line] * max(1, len(item.responses)),
        )
        for line, item in reports
    ]
    check_reports(path, read, task, topic_ids, known_segments, findings, first_lines)
    return findings.problems


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[CitedSentence, ...]]]
) -> None:
    write_report_run(
        path,
        (
            SubmittedReport(
                metadata=ReportMetadata(**identity.model_dump(), topic_id=topic.topic_id),
                responses=sentences,
            )
            for topic, sentences in delivered
        ),
    )


FORMAT: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write,
    read=read_report_run,
    check=check_report_run,
    as_manual=manual_lines,
    official=official_reports,
    json_keys=("responses",),
)
