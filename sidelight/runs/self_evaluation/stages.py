"""What a run read and wrote on its way to its reports, as texts that a judge can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.scoring.funnel import Stage
from sidelight.schemas.grading.rubric import Rubric  # noqa: TC001 - a NamedTuple reads it
from sidelight.schemas.run import CitedSentence, ReportMetadata, SubmittedReport
from sidelight.schemas.segment import document_id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sidelight.runs.directory import TopicResult
    from sidelight.schemas.segment import Segment
    from sidelight.schemas.task import CitedTextTask


class StageReport(NamedTuple):
    """Text of one stage, to be judged as if it were a report."""

    stage: Stage
    rubric: Rubric
    report: SubmittedReport


def stage_reports(
    results: Iterable[TopicResult | None],
    task: CitedTextTask,
    rubrics: Mapping[str, Rubric],
    lookup: Callable[[Sequence[str]], Sequence[Segment]],
    words_at_once: int,
) -> list[StageReport]:
    """Return what is judged besides the files of a run.

    Args:
        results: What is stored about its topics.
        task: The one that asks for reports.
        rubrics: Topic id -> rubric; other topics are left out.
        lookup: Segment ids to segments, in the order asked for.
        words_at_once: How much the judge is shown at once; see `Judge`.
    """
    return [
        StageReport(stage, rubrics[result.topic_id], _as_report(result.topic_id, texts))
        for result in results
        if result is not None and result.topic_id in rubrics
        for stage, texts in _stage_texts(result, task, lookup, words_at_once)
    ]


def _stage_texts(
    result: TopicResult,
    task: CitedTextTask,
    lookup: Callable[[Sequence[str]], Sequence[Segment]],
    words: int,
) -> Iterator[tuple[Stage, list[str]]]:
    """Yield what a topic's stages hold: hits that were not taken, those that were, every draft.

    Pages that were shown to no role are no hits. A draft that became the report as it was is left
    out: the report is judged anyway.
    """
    selected = {segment.segment_id for segment in result.evidence}
    refused = result.trace.refused()
    others = sorted(
        segment_id
        for segment_id in result.trace.found() - selected
        if document_id_of(segment_id) not in refused
    )
    for texts in _packed([segment.text for segment in lookup(others)], words):
        yield Stage.RETRIEVED, texts
    for texts in _packed([segment.text for segment in result.evidence], words):
        yield Stage.SELECTED, texts
    final = [sentence.text for sentence in result.result(task)]
    for draft in result.trace.drafts():
        texts = [sentence.text for sentence in draft.sentences]
        if texts != final:
            yield Stage.WRITTEN, texts


def _packed(texts: Iterable[str], words: int) -> Iterator[list[str]]:
    """Put texts together up to a number of words; each stands alone where it is 0."""
    pack: list[str] = []
    size = 0
    for text in texts:
        length = len(text.split())
        if pack and size + length > words:
            yield pack
            pack, size = [], 0
        pack.append(text)
        size += length
    if pack:
        yield pack


def _as_report(topic_id: str, texts: Iterable[str]) -> SubmittedReport:
    return SubmittedReport(
        metadata=ReportMetadata(team_id="", run_id="", topic_id=topic_id),
        responses=tuple(CitedSentence(text=text) for text in texts),
    )
