"""Support: one label for how far the citations of a sentence support it.

The prompted labeller uses the prompt with which a writer of reports checks its own sentences.

Source: TREC 2025 RAG track overview, section 3.3, where only the first citation of a sentence
counts; all citations together are judged, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from sidelight.checks.support import SUPPORT_SCALE, LearnedSupportCheck, PromptedSupportCheck
from sidelight.errors import ReplyError
from sidelight.evaluation.labelling.judge import Judge, Judgment, LabellingProtocol
from sidelight.formats.runs.submission import reports_by_topic
from sidelight.learned.models import SUPPORT as SUPPORT_MODEL
from sidelight.learned.ordinal_model import weights_hash
from sidelight.schemas.grading.judgment import JudgedSentence, Unjudged
from sidelight.schemas.run import CitedSentence, ReportRun
from sidelight.text import one_line

TextsOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]
"""Segment ids to texts, without those it does not know."""


class SupportCase(NamedTuple):
    """A sentence and what it is held against.

    Attributes:
        sources: The texts it cites, at least one.
        asked: The query or narrative that it answers; empty where there is none.
    """

    sentence: str
    sources: Sequence[str]
    asked: str = ""


SUPPORT = LabellingProtocol[SupportCase](
    name="support of sentences",
    scale=SUPPORT_SCALE,
    units=lambda case: [case.sentence],
)
"""The scale is that of the support evaluation of TREC RAG 2025."""


class EmbeddedSupport:
    """Labels by the support model; what it says of a sentence hangs on no other sentence."""

    def __init__(self) -> None:
        self._check = LearnedSupportCheck()
        self.weights = weights_hash(SUPPORT_MODEL)
        """A short hash of what it learned."""

    async def __call__(self, case: SupportCase) -> list[Judgment]:
        """Return the one judgment on a sentence."""
        (support,) = self._check.check([(case.sentence, case.sources)], asked=case.asked)
        return [Judgment(support.label, one_line(support.reason))]


async def ask_support(check: PromptedSupportCheck, case: SupportCase) -> list[Judgment]:
    """Return the one judgment on a sentence by a model, which sees all its sources at once."""
    try:
        support = await check(case.sentence, case.sources)
    except ReplyError as error:
        return [Judgment(Unjudged(reason=error.message), one_line(error.message))]
    return [Judgment(support.label, one_line(support.reason))]


# Sentences under way at once: their prompts take memory while they wait for the model.
_SENTENCES_AT_ONCE = 1024


async def assess_support(
    judge: Judge,
    runs: Sequence[ReportRun],
    texts_of: TextsOf,
    asked: Mapping[str, str] = MappingProxyType({}),
    on_sentence: Callable[[], None] = lambda: None,
) -> list[JudgedSentence]:
    """Label every sentence of some runs against its first citation and against all of them.

    A sentence that cites a segment whose text is not known, or on which a model gives no usable
    answer, is unjudged. `asked` is topic id -> the query or narrative that reports answer, where
    there is one. Sentences come by run tag, topic and place.
    """
    reports = reports_by_topic(runs)
    texts = texts_of(
        {
            segment_id
            for sentences in reports.values()
            for sentence in sentences
            for segment_id in sentence.citations
        }
    )
    slots = asyncio.Semaphore(_SENTENCES_AT_ONCE)

    async def judged(
        run_tag: str, topic_id: str, number: int, sentence: CitedSentence
    ) -> JudgedSentence:
        async with slots:
            asked_here = asked.get(topic_id, "")
            first, everything, reason = await _labels(judge, sentence, texts, asked_here)
        on_sentence()
        return JudgedSentence(run_tag, topic_id, number, first, everything, reason, sentence)

    return await asyncio.gather(
        *(
            judged(run_tag, topic_id, number, sentence)
            for (run_tag, topic_id), sentences in sorted(reports.items(), key=lambda item: item[0])
            for number, sentence in enumerate(sentences, start=1)
        )
    )


async def _labels(
    judge: Judge, sentence: CitedSentence, texts: Mapping[str, str], asked: str
) -> tuple[str | Unjudged | None, str | Unjudged | None, str]:
    """Return the labels by the first citation and by all, and the reason of the latter."""
    cited = tuple(dict.fromkeys(sentence.citations))
    if not cited:
        return None, None, "it cites nothing"
    first = everything = await _support(judge, sentence.text, cited[:1], texts, asked)
    if len(cited) > 1:
        everything = await _support(judge, sentence.text, cited, texts, asked)
    return first.label, everything.label, everything.rationale


async def _support(
    judge: Judge, sentence: str, cited: Sequence[str], texts: Mapping[str, str], asked: str
) -> Judgment:
    if unknown := [segment_id for segment_id in cited if segment_id not in texts]:
        reason = f"the text of {one_line(unknown[0])} is not known"
        return Judgment(Unjudged(reason=reason), reason)
    case = SupportCase(sentence, [texts[segment_id] for segment_id in cited], asked)
    (judgment,) = await judge.label(SUPPORT, case)
    return judgment
