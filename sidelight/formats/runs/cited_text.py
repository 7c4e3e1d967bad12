"""Task 2 runs: one report a line, `metadata` and `responses` of `text` and `citations`, in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import decode_object, open_text, read_json_lines
from sidelight.formats.runs.cited_sentence import check_citations, check_sources, check_text
from sidelight.formats.runs.submission import (
    LineIds,
    check_characters,
    check_encoding,
    check_ids,
    check_topics,
    run_tag_of,
)
from sidelight.schemas.run import ReportRun, SubmittedReport
from sidelight.text import budget_words, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Sequence
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.tracks import Track


class _MetadataLine(BaseModel):
    """Only what assessments go by is required: the organizers document no more for scoring."""

    team_id: str = ""
    run_id: str
    topic_id: str
    type: Literal["automatic", "manual"] = "automatic"
    use_starter_kit: Literal[0, 1] = 0


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
    type: Literal["automatic", "manual"]
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
            _repeated_topic(report.metadata.topic_id, line, findings)
        reports[key] = report
    findings.raise_errors()
    found = tuple(reports.values())
    return ReportRun(
        run_tag=run_tag_of(path, (report.metadata.run_id for report in found)), reports=found
    )


def write_report_run(path: Path, reports: Iterable[SubmittedReport]) -> None:
    """Write one JSON line a report: keys in the track's order, text without control characters."""
    with atomic_writer(path) as stream:
        for report in reports:
            content = report.model_dump()
            for sentence in content["responses"]:
                sentence["text"] = one_line(sentence["text"])
            stream.write(orjson.dumps(content).decode() + "\n")


def check_report_run(
    path: Path,
    track: Track,
    topic_ids: Collection[str],
    known_segments: Container[str] | None = None,
) -> list[Problem]:
    """Return all that is wrong with a run; one without errors also passes the track's validator.

    Args:
        path: The file.
        track: Whose limits to apply.
        topic_ids: The topics to cover.
        known_segments: The ids that exist, if an index is at hand.

    Raises:
        InputError: The file cannot be read.
    """
    file = open_text(path)
    findings = Findings(path, file.problems)
    check_encoding(file, findings)
    first_lines: dict[str, int] = {}
    reports: list[tuple[int, _StrictReport]] = []
    for line, text in file.lines:
        if "\r" in text:
            check_characters(text, line, findings)
        content = decode_object(text, line, findings) if text.strip() else None
        if content is None:
            continue
        topic_id = _topic_id(content)
        if topic_id in first_lines:
            _repeated_topic(topic_id, line, findings)
        first_lines.setdefault(topic_id, line)
        try:
            reports.append((line, _StrictReport.model_validate(content)))
        except ValidationError as error:
            findings.invalid(
                error, line, what="a report", remedy="Compare the line with docs/formats.md."
            )
    check_topics(first_lines, topic_ids, findings)
    ids = [LineIds(line, item.metadata.team_id, item.metadata.run_id) for line, item in reports]
    check_ids(ids, path, track, findings)
    _check_constants(reports, findings)
    for line, report in reports:
        _check_report(line, report, track, findings)
        for sentence in report.responses:
            check_text(line, sentence.text, findings)
            check_citations(line, sentence.citations, track, findings)
            check_sources(
                line, sentence.citations, report.metadata.topic_id, known_segments, findings
            )
    return findings.problems


def _topic_id(content: dict[str, Any]) -> str:
    """Return the topic of a line whose other parts may be malformed."""
    metadata = content.get("metadata")
    topic_id = metadata.get("topic_id") if isinstance(metadata, dict) else None
    return topic_id if isinstance(topic_id, str) else ""


def _repeated_topic(topic_id: str, line: int, findings: Findings) -> None:
    findings.error(
        "topic-duplicate",
        line,
        expected="one report for each topic",
        found=f"a second one for {quoted(topic_id)}",
        remedy="Keep one of them.",
    )


def _check_constants(reports: Sequence[tuple[int, _StrictReport]], findings: Findings) -> None:
    """Check that `type` and `use_starter_kit` do not change within a run."""
    for name in ("type", "use_starter_kit"):
        values = [(line, getattr(report.metadata, name)) for line, report in reports]
        for line, value in values:
            if value != values[0][1]:
                findings.error(
                    "metadata-inconsistent",
                    line,
                    expected=f"the {name} of line {values[0][0]}, {quoted(values[0][1])}",
                    found=quoted(value),
                    remedy="A run has one type and either uses the starter kit or does not.",
                )


def _check_report(line: int, report: _StrictReport, track: Track, findings: Findings) -> None:
    if not report.responses:
        findings.warning(
            "report-empty",
            line,
            expected="at least one sentence",
            found="none",
            remedy="Say what is known, if only about the source.",
        )
    words = sum(budget_words(sentence.text) for sentence in report.responses)
    if words > track.cited_text.max_words:
        findings.error(
            "report-words",
            line,
            expected=f"at most {track.cited_text.max_words} words, plain and after NFKC",
            found=str(words),
            remedy="Drop or shorten sentences.",
        )
    uncited = sum(not sentence.citations for sentence in report.responses)
    if uncited:
        findings.add(
            "uncited-sentence",
            line,
            expected="citations for every sentence",
            found=f"{uncited} without; more than {track.cited_text.max_uncited} is an error",
            remedy="Cite a segment, or drop what none supports.",
            severity="error" if uncited > track.cited_text.max_uncited else "warning",
        )
