"""Linked reports (`linked_reports_jsonl`): one a line, whose sentences cite pages by address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel

from sidelight.formats.lines import Findings, parsed_lines, read_bytes, write_json_lines
from sidelight.formats.runs import cited_sentences, submission
from sidelight.schemas.run import (
    CitedSentence,
    ReportMetadata,
    ReportRun,
    RunIdentity,
    SubmittedReport,
)
from sidelight.schemas.task import CitedTextTask
from sidelight.text import one_line


class _Report(BaseModel):
    topic_id: str
    model: str
    responses: tuple[cited_sentences.SentenceLine, ...]


class _ExactReport(cited_sentences.ExactLine):
    topic_id: str
    model: str
    responses: list[cited_sentences.ExactSentence[str]]


def read_linked_runs(path: Path) -> tuple[ReportRun, ...]:
    """Read the runs of a file: one for each model in it, with the model's name as run tag."""
    findings = Findings(path)
    lines = parsed_lines(path, _Report.model_validate, "a report", findings)
    reports = ((line, _submitted(report)) for line, report in lines)
    runs: dict[str, list[SubmittedReport]] = {}
    for report in cited_sentences.one_a_topic(reports, "a report", findings):
        runs.setdefault(report.metadata.run_id, []).append(report)
    return tuple(ReportRun(run_tag=model, reports=tuple(found)) for model, found in runs.items())


def _submitted(report: _Report | _ExactReport) -> SubmittedReport:
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
    return submission.report_run(path, reports)


@submission.StrictCheck
def _check(run: submission.CheckedRun[CitedTextTask]) -> None:
    reports, first_lines = cited_sentences.strict_lines(run, _ExactReport, "topic_id", "a report")
    read = [(_submitted(item), [line] * max(1, len(item.responses))) for line, item in reports]
    cited_sentences.check_reports(run, read, first_lines)


def linked(
    sentences: Iterable[CitedSentence], addresses: Mapping[str, str]
) -> tuple[CitedSentence, ...]:
    """Return sentences that cite pages in place of the segments that were cut from them.

    `addresses` has the address of each page by segment id. A segment without one is no longer
    cited; a page is cited once in a sentence, even for two segments.
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
    path: Path,
    identity: RunIdentity,
    delivered: Iterable[submission.Delivery[tuple[CitedSentence, ...]]],
) -> None:
    """Write one JSON line a report; the run id stands where the name of a model does."""
    write_json_lines(
        path,
        (
            {
                "topic_id": topic.topic_id,
                "model": identity.run_id,
                "responses": [
                    {"text": cited_sentences.inert(one_line(one.text)), "citations": one.citations}
                    for one in sentences
                ],
            }
            for topic, sentences in delivered
        ),
    )


LINKED_REPORTS: submission.RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = (
    submission.RunFormat(
        kind="cited_text",
        write=_write,
        read=_read,
        check=_check,
        as_manual=read_bytes,
        json_keys=("responses", "model"),
    )
)
