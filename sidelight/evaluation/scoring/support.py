"""Scores of reports by how far their citations support them.

Source: TREC 2025 RAG track overview, section 3.3.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.errors import InputError
from sidelight.evaluation.metrics.base import TopicRecord, declared
from sidelight.evaluation.scoring.table import tabulate
from sidelight.formats.runs.submission import reports_by_topic
from sidelight.schemas.grading.judgment import Measure

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.judgment import JudgedSentence, Scales
    from sidelight.schemas.run import ReportRun


SUPPORT_MEASURES = (
    Measure(
        name="weighted_precision",
        computes="support_precision",
        parameters={"citations": "first"},
        title="support by the first citation, over the sentences that cite",
    ),
    Measure(
        name="weighted_recall",
        computes="support_recall",
        parameters={"citations": "first"},
        title="support by the first citation, over all sentences",
    ),
    Measure(
        name="weighted_precision_all",
        computes="support_precision",
        title="support by all citations, over the sentences that cite",
    ),
    Measure(
        name="weighted_recall_all",
        computes="support_recall",
        title="support by all citations, over all sentences",
    ),
    declared("nothing_cited"),
    declared("unjudged_sentences").model_copy(update={"name": "unjudged"}),
)
"""By the first citation of a sentence, as at TREC, and by all of them together."""


def score_support(
    runs: Sequence[ReportRun],
    verdicts: Sequence[JudgedSentence],
    topic_ids: Collection[str] | None = None,
    measures: Sequence[Measure] = SUPPORT_MEASURES,
    further: Sequence[Measure] = (),
) -> ScoreTable:
    """Score runs by how far what they cite supports them.

    Args:
        runs: What was judged.
        verdicts: On every sentence of it.
        topic_ids: The topics that count; None for those that any of the runs reports on.
        measures: What is measured, the one that ranks runs first.
        further: Measures to compute besides.

    Raises:
        InputError: There is no topic, or a run reports on one that does not count.
        UsageError: A further measure needs what is not known here.
    """
    reports = reports_by_topic(runs)
    found = {topic_id for _, topic_id in reports}
    known = found if topic_ids is None else set(topic_ids)
    if unknown := sorted(found - known):
        raise InputError(
            f"a run reports on the topic {unknown[0]}, which is not one of the topics",
            remedy="Give the topics file that the runs were made for, or none.",
        )
    if not known:
        raise InputError("the runs hold no report", remedy="Give at least one run of cited texts.")
    by_report = _by_report(verdicts)

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        return TopicRecord(
            scales={SUPPORT_SCALE.name: SUPPORT_SCALE},
            sentences=by_report.get((run_tag, topic_id), []),
            report=reports.get((run_tag, topic_id), ()),
        )

    return tabulate(known, {run.run_tag for run in runs}, reports.keys(), record, measures, further)


def score_judged_support(
    verdicts: Sequence[JudgedSentence],
    scales: Scales,
    measures: Sequence[Measure] = SUPPORT_MEASURES,
) -> ScoreTable:
    """Score runs of which nothing is at hand but the support of their sentences.

    Args:
        verdicts: On every sentence; the topics that count are theirs.
        scales: Of support.
        measures: What is measured, the one that ranks runs first.

    Raises:
        InputError: There is no verdict.
    """
    by_report = _by_report(verdicts)

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        return TopicRecord(scales=scales, sentences=by_report.get((run_tag, topic_id), []))

    topic_ids = {topic_id for _, topic_id in by_report}
    return tabulate(topic_ids, {run for run, _ in by_report}, by_report.keys(), record, measures)


def _by_report(
    verdicts: Sequence[JudgedSentence],
) -> Mapping[tuple[str, str], list[JudgedSentence]]:
    found: dict[tuple[str, str], list[JudgedSentence]] = defaultdict(list)
    for item in verdicts:
        found[item.run_tag, item.topic_id].append(item)
    return found
