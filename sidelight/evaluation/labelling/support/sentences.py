"""Whether what reports cite says what they say: every sentence against its sources.

Source: TREC 2025 RAG track overview, section 3.3, where only the first citation of a sentence
counts; all citations together are held against it, too.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sidelight.errors import InputError
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.evaluation.labelling.support.protocol import SUPPORT, SupportCase
from sidelight.evaluation.metrics.support_precision import support_precision
from sidelight.evaluation.metrics.support_recall import support_recall
from sidelight.evaluation.scoring.score import tabulate
from sidelight.formats.table import write_table
from sidelight.schemas.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.scoring.score import ScoreTable
    from sidelight.schemas.run import CitedSentence, ReportRun

    TextsOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]
    """Segment ids to texts, without those it does not know."""

# Sentences under way at once: their prompts take memory while they wait for the model.
_AT_ONCE = 1024


class JudgedSentence(NamedTuple):
    """One sentence of a report against what it cites.

    Attributes:
        run_tag: The run.
        topic_id: The topic of the report.
        number: 1-based place in the report.
        first: Its support by the first citation; None where it cites nothing.
        all: Its support by all citations together; None where it cites nothing.
        reason: Why `all` is what it is.
        sentence: What was judged.
    """

    run_tag: str
    topic_id: str
    number: int
    first: str | Unjudged | None
    all: str | Unjudged | None
    reason: str
    sentence: CitedSentence


async def assess_support(
    judge: Judge,
    runs: Sequence[ReportRun],
    texts_of: TextsOf,
    on_sentence: Callable[[], None] = lambda: None,
) -> list[JudgedSentence]:
    """Hold every sentence of some runs against its first citation and against all of them.

    A sentence that cites a segment whose text is not known, or on which a model gives no usable
    answer, is unjudged.

    Args:
        judge: Who judges.
        runs: What is judged.
        texts_of: Segment ids to texts.
        on_sentence: Called after each sentence.

    Returns:
        One verdict for each sentence, by run tag, topic, place.

    Raises:
        InputError: A run has two reports for a topic, or two runs share a tag.
    """
    reports = _reports(runs)
    cited = {
        segment_id
        for sentences in reports.values()
        for sentence in sentences
        for segment_id in sentence.citations
    }
    texts = texts_of(cited)
    slots = asyncio.Semaphore(_AT_ONCE)

    async def support(sentence: str, cited: Sequence[str]) -> Judgment:
        if unknown := [segment_id for segment_id in cited if segment_id not in texts]:
            reason = f"the text of {one_line(unknown[0])} is not known"
            return Judgment(Unjudged(reason=reason), reason)
        case = SupportCase(sentence, [texts[segment_id] for segment_id in cited])
        (judgment,) = await judge.label(SUPPORT, case)
        return judgment

    async def verdict(
        run_tag: str, topic_id: str, number: int, sentence: CitedSentence
    ) -> JudgedSentence:
        cited = tuple(dict.fromkeys(sentence.citations))
        first, everything, reason = None, None, "it cites nothing"
        async with slots:
            if cited:
                first, reason = await support(sentence.text, cited[:1])
                everything = first
            if len(cited) > 1:
                everything, reason = await support(sentence.text, cited)
        on_sentence()
        return JudgedSentence(run_tag, topic_id, number, first, everything, reason, sentence)

    return await asyncio.gather(
        *(
            verdict(run_tag, topic_id, number, sentence)
            for (run_tag, topic_id), sentences in sorted(reports.items(), key=lambda item: item[0])
            for number, sentence in enumerate(sentences, start=1)
        )
    )


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
    reported = {(run_tag, topic_id) for run_tag, topic_id in _reports(runs)}
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


def write_verdicts(path: Path, verdicts: Sequence[JudgedSentence]) -> None:
    """Write a CSV with a row for each sentence; the label of one that is unjudged is empty."""
    header = ["run_tag", "topic_id", "sentence", "citations", "first", "all", "reason", "text"]
    write_table(path, header, map(_row, verdicts))


def _row(item: JudgedSentence) -> list[object]:
    labels = (
        "uncited" if label is None else "" if isinstance(label, Unjudged) else label
        for label in (item.first, item.all)
    )
    cited = " ".join(map(one_line, item.sentence.citations))
    text = one_line(item.sentence.text)
    return [item.run_tag, item.topic_id, item.number, cited, *labels, item.reason, text]


def _reports(runs: Sequence[ReportRun]) -> dict[tuple[str, str], tuple[CitedSentence, ...]]:
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
