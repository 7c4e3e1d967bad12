"""`linked_reports_jsonl`: a report a line, whose sentences cite pages by their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings
from sidelight.formats.lines import read_bytes, read_json_lines
from sidelight.formats.runs.cited_sentences import (
    check_reports,
    inert,
    repeated_topic,
    strict_lines,
)
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import report_run
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, SubmittedReport
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import CitedTextTask


class _Sentence(BaseModel):
    text: str
    citations: tuple[str, ...] = ()


class _Report(BaseModel):
    topic_id: str
    model: str
    responses: tuple[_Sentence, ...]


class _StrictSentence(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    citations: list[str]


class _StrictReport(BaseModel):
    model_config = ConfigDict(extra="forbid")

    topic_id: str
    model: str
    responses: list[_StrictSentence]


def read_linked_runs(path: Path) -> tuple[ReportRun, ...]:
    """Read the runs of a file, one for each model in it, tagged with its name.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no report, or a model has two on one topic.
    """
    findings = Findings(path)
    runs: dict[str, dict[str, SubmittedReport]] = {}
    for line, content in read_json_lines(path):
        try:
            report = _Report.model_validate(content)
        except ValidationError as error:
            findings.invalid(
                error, line, what="a report", remedy="Compare the line with docs/formats.md."
            )
            continue
        known = runs.setdefault(report.model, {})
        if report.topic_id in known:
            repeated_topic(report.topic_id, line, "a report", findings)
        known[report.topic_id] = _submitted(report)
    findings.raise_errors()
    return tuple(
        ReportRun(run_tag=model, reports=tuple(reports.values())) for model, reports in runs.items()
    )


def _submitted(report: _Report | _StrictReport) -> SubmittedReport:
    return SubmittedReport(
        metadata=ReportMetadata(
            team_id="", run_id=report.model, topic_id=report.topic_id, type=None
        ),
        responses=tuple(
            CitedSentence(text=one.text, citations=tuple(one.citations)) for one in report.responses
        ),
    )


def _read(path: Path) -> ReportRun:
    """Read a file as one run; of several models, under the name of the file."""
    reports = tuple(report for run in read_linked_runs(path) for report in run.reports)
    return report_run(path, reports)


def check_linked_run(
    path: Path,
    task: CitedTextTask,
    topic_ids: Collection[str],
    known_segments: Container[str] | None = None,
) -> list[Problem]:
    """Return all that is wrong with a run of one model.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The topics to cover.
        known_segments: The addresses that exist, if that is known.

    Raises:
        InputError: The file cannot be read.
    """
    findings = Findings(path)
    reports, first_lines = strict_lines(path, _StrictReport, "topic_id", "a report", findings)
    read = [(_submitted(item), [line] * max(1, len(item.responses))) for line, item in reports]
    check_reports(path, read, task, topic_ids, known_segments, findings, first_lines)
    return findings.problems


def linked(
    sentences: Iterable[CitedSentence], addresses: Mapping[str, str]
) -> tuple[CitedSentence, ...]:
    """Return sentences that cite pages where they cited segments.

    Args:
        sentences: As they are.
        addresses: Of the pages that segments were cut from, by segment id; a segment without one is
            cited no more, and two of one page are cited once.
    """
    return tuple(
        one.model_copy(
            update={
                "citations": tuple(
                    dict.fromkeys(addresses[name] for name in one.citations if addresses.get(name))
                )
            }
        )
        for one in sentences
    )


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[CitedSentence, ...]]]
) -> None:
    """Write one JSON line a report; the run id stands where the name of a model does."""
    with atomic_writer(path) as stream:
        for topic, sentences in delivered:
            content = {
                "topic_id": topic.topic_id,
                "model": identity.run_id,
                "responses": [
                    {"text": inert(one_line(one.text)), "citations": list(one.citations)}
                    for one in sentences
                ],
            }
            stream.write(orjson.dumps(content).decode() + "\n")


FORMAT: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write,
    read=_read,
    check=check_linked_run,
    as_manual=read_bytes,
    json_keys=("responses", "model"),
)
