"""Reports with metadata (`reports_jsonl`): one a line, whose sentences cite segments by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field, StrictInt

from sidelight.formats.findings import Findings
from sidelight.formats.lines import write_json_lines
from sidelight.formats.runs.cited_sentences import (
    ExactLine,
    ExactSentence,
    SentenceLine,
    check_constant,
    check_reports,
    inert,
    manual_lines,
    one_a_topic,
    report_lines,
    strict_lines,
)
from sidelight.formats.runs.official import official_reports
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import CheckedRun, StrictCheck, report_run
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, RunType, SubmittedReport
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import CitedTextTask


class _MetadataLine(BaseModel):
    """Only what assessments go by is required: the organizers document no more for scoring."""

    team_id: str = ""
    run_id: str
    topic_id: str
    type: RunType = "automatic"


class _ReportLine(BaseModel):
    metadata: _MetadataLine
    responses: tuple[SentenceLine, ...]


class _ExactMetadata(ExactLine):
    team_id: str
    run_id: str
    topic_id: str
    type: RunType
    # Literal[0, 1] would let True and 1.0 pass.
    use_starter_kit: Annotated[StrictInt, Field(ge=0, le=1)]


class _ExactReport(ExactLine):
    metadata: _ExactMetadata
    responses: list[ExactSentence[str]]


def read_report_run(path: Path) -> ReportRun:
    """Read a run, whatever the track would say to it; keys it does not need are ignored.

    The file's name becomes the run tag, as in the organizers' assessments; see `run_tag_of`.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no report, or a topic occurs twice.
    """
    findings = Findings(path)
    reports = report_lines(path, _submitted, "a report", findings)
    return report_run(path, one_a_topic(reports, "a report", findings))


def _submitted(content: dict[str, Any]) -> SubmittedReport:
    return SubmittedReport(**_ReportLine.model_validate(content).model_dump())


def write_report_run(path: Path, reports: Iterable[SubmittedReport]) -> None:
    """Write one JSON line a report: keys in the track's order, text that nothing acts on."""
    write_json_lines(path, map(_content, reports))


def _content(report: SubmittedReport) -> dict[str, Any]:
    content = report.model_dump()
    content["metadata"]["use_starter_kit"] = 0
    for sentence in content["responses"]:
        sentence["text"] = inert(one_line(sentence["text"]))
    return content


@StrictCheck
def check_report_run(run: CheckedRun[CitedTextTask]) -> None:
    """Find all that is wrong with a run."""
    reports, first_lines = strict_lines(run, _ExactReport, "topic_id", "a report")
    for name in ("type", "use_starter_kit"):
        values = [(line, getattr(item.metadata, name)) for line, item in reports]
        check_constant(name, values, run.findings)
    read = [
        (
            SubmittedReport(**item.model_dump(exclude={"metadata": {"use_starter_kit"}})),
            [line] * max(1, len(item.responses)),
        )
        for line, item in reports
    ]
    check_reports(run, read, first_lines)


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


REPORTS: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write,
    read=read_report_run,
    check=check_report_run,
    as_manual=manual_lines,
    official=official_reports,
    json_keys=("responses",),
)
