"""How far what reports cite supports them: the scores of sentences that were held against sources.

Source: TREC 2025 RAG track overview, section 3.3, where only the first citation of a sentence
counts; all citations together are scored, too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.evaluation.metrics.support_precision import support_precision
from sidelight.evaluation.metrics.support_recall import support_recall
from sidelight.evaluation.scoring.score import tabulate
from sidelight.schemas.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sidelight.evaluation.scoring.score import ScoreTable
    from sidelight.schemas.judgment import JudgedSentence
    from sidelight.schemas.run import ReportRun


def score_support(
    runs: Sequence[ReportRun],
    verdicts: Sequence[JudgedSentence],
    topic_ids: Collection[str] | None = None,
) -> ScoreTable:
    """Score runs by how far what they cite supports them.

    Measures: `weighted_precision` and `weighted_recall` by the first citation of each sentence,
    the same `_all` by all of them, `nothing_cited` (1 for a topic on which a run cites nothing, so
    that its precision is undefined and given as 0), `unjudged` (share of the sentences that cite
    which could not be judged in either way), and for runs `n_topics` (those with a report).

    Args:
        runs: What was judged.
        verdicts: On every sentence of it.
        topic_ids: The topics that count; None for those that any of the runs reports on.

    Raises:
        InputError: There is no topic, or a run reports on one that does not count.
    """
    reported = {(run.run_tag, report.metadata.topic_id) for run in runs for report in run.reports}
    found = {topic_id for _, topic_id in reported}
    known = found if topic_ids is None else set(topic_ids)
    if unknown := sorted(found - known):
        raise InputError(
            f"a run reports on the topic {unknown[0]}, which is not one of the topics",
            remedy="Give the topics file that the runs were made for, or none.",
        )
    if not known:
        raise InputError("the runs hold no report", remedy="Give at least one Task 2 run.")
    of_report: dict[tuple[str, str], list[JudgedSentence]] = defaultdict(list)
    for item in verdicts:
        of_report[item.run_tag, item.topic_id].append(item)

    def measure(run_tag: str, topic_id: str) -> dict[str, float]:
        sentences = of_report.get((run_tag, topic_id), [])
        first, everything = [item.first for item in sentences], [item.all for item in sentences]
        cited = [item for item in sentences if item.first is not None]
        n_unjudged = sum(
            isinstance(item.first, Unjudged) or isinstance(item.all, Unjudged) for item in cited
        )
        return {
            "weighted_precision": support_precision(first),
            "weighted_recall": support_recall(first),
            "weighted_precision_all": support_precision(everything),
            "weighted_recall_all": support_recall(everything),
            "nothing_cited": float(not cited),
            "unjudged": n_unjudged / len(cited) if cited else 0.0,
        }

    return tabulate(known, {run.run_tag for run in runs}, reported, measure)
