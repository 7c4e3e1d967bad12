"""The reports of several runs, told apart by run and topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.schemas.run import CitedSentence, ReportRun


def reports_by_topic(
    runs: Iterable[ReportRun],
) -> dict[tuple[str, str], tuple[CitedSentence, ...]]:
    """Return the sentences of each report of some runs, by run tag and topic id.

    Raises:
        InputError: A run has two reports for a topic, or two runs share a tag.
    """
    reports: dict[tuple[str, str], tuple[CitedSentence, ...]] = {}
    tags: set[str] = set()
    for run in runs:
        if run.run_tag in tags:
            raise InputError(f"the run {run.run_tag} was given twice")
        tags.add(run.run_tag)
        for report in run.reports:
            key = (run.run_tag, report.metadata.topic_id)
            if key in reports:
                raise InputError(f"run {run.run_tag} has two reports for topic {key[1]}")
            reports[key] = report.responses
    return reports
