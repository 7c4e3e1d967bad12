"""Whether what reports cite says what they say: every sentence against its sources.

Source: TREC 2025 RAG track overview, section 3.3, where only the first citation of a sentence
counts; all citations together are held against it, too.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeAlias

from sidelight.errors import ReplyError
from sidelight.formats.runs.by_topic import reports_by_topic
from sidelight.formats.table import write_table
from sidelight.schemas.judgment import JudgedSentence, Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from sidelight.checks.support import SupportCheck
    from sidelight.schemas.run import CitedSentence, ReportRun

    TextsOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]
    """Segment ids to texts, without those it does not know."""

# Sentences under way at once: their prompts take memory while they wait for the model.
_AT_ONCE = 1024


async def assess_support(
    check: SupportCheck,
    runs: Sequence[ReportRun],
    texts_of: TextsOf,
    on_sentence: Callable[[], None] = lambda: None,
) -> list[JudgedSentence]:
    """Hold every sentence of some runs against its first citation and against all of them.

    A sentence that cites a segment whose text is not known, or on which a model gives no usable
    answer, is unjudged.

    Args:
        check: Who judges.
        runs: What is judged.
        texts_of: Segment ids to texts.
        on_sentence: Called after each sentence.

    Returns:
        One verdict for each sentence, by run tag, topic, place.

    Raises:
        InputError: A run has two reports for a topic, or two runs share a tag.
    """
    reports = reports_by_topic(runs)
    cited = {
        segment_id
        for sentences in reports.values()
        for sentence in sentences
        for segment_id in sentence.citations
    }
    texts = texts_of(cited)
    slots = asyncio.Semaphore(_AT_ONCE)

    async def support(sentence: str, cited: Sequence[str]) -> tuple[str | Unjudged, str]:
        if unknown := [segment_id for segment_id in cited if segment_id not in texts]:
            reason = f"the text of {one_line(unknown[0])} is not known"
            return Unjudged(reason=reason), reason
        try:
            given = await check(sentence, [texts[segment_id] for segment_id in cited])
        except ReplyError as error:
            return Unjudged(reason=error.message), one_line(error.message)
        return given.label, one_line(given.reason)

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
