"""Narratives: splitting and answering by a model.

An answer is written over evidence under keys, so many passages at a time: each further call sees
what the earlier ones wrote. Source of drafting and splitting: TREC 2025 RAG track overview, section
2 and figures 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from sidelight.generation.prompted.findings import KeyedSegments
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.llm.structured import IdOf
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.text import budget_words, one_line, sentences

ANSWER_PROMPT = load_prompt(Path(__file__).with_name("answer.prompt.md"))
_WRITER_SEGMENT_WORDS = 250
_AT_ONCE = 25  # passages in one call


class WrittenSentence(Value):
    """A sentence and the keys of what it stands on."""

    text: str = Field(min_length=1)
    keys: tuple[Annotated[str, IdOf("keys")], ...]


class WrittenAnswer(Value):
    """An answer in reading order, and the points that nothing was found on."""

    sentences: tuple[WrittenSentence, ...]
    silent: tuple[int, ...]


@dataclass(frozen=True)
class PromptedAnswerWriter:
    """The role `write_report` for what somebody wants to know, with one call per 25 passages."""

    asks = (Asked(ANSWER_PROMPT, calls=1, characters=25_000, written=900),)

    writer: PromptedModel
    max_report_words: int
    min_report_words: int
    max_citations: int

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return what the model wrote, within the limit; `notes` say what nothing was found on."""
        keyed = KeyedSegments([item.segment for item in evidence.items], _WRITER_SEGMENT_WORDS)
        if not keyed.shown:
            return DraftReport(sentences=())

        def check(answer: WrittenAnswer) -> None:
            words = sum(budget_words(one.text) for one in answer.sentences)
            if words > self.max_report_words:
                raise ValueError(
                    f"the sentences have {words} words together; the limit is "
                    f"{self.max_report_words}"
                )
            for number, one in enumerate(answer.sentences, start=1):
                if len(sentences(one_line(one.text))) != 1:
                    raise ValueError(f"text {number} is not one sentence")
            if not any(key in keyed for one in answer.sentences for key in one.keys):
                raise ValueError("no sentence names a passage that was shown")

        answer, asked = WrittenAnswer(sentences=(), silent=()), [angle.question for angle in angles]
        for start in range(0, len(keyed.shown), _AT_ONCE):
            seen = keyed.shown[: start + _AT_ONCE]
            answer = await self.writer.answer(
                ANSWER_PROMPT,
                WrittenAnswer,
                check=check,
                ids={"keys": [shown.key for shown in seen]},
                narrative=profile.asked,
                questions=asked,
                draft=answer.sentences,
                segments=seen[start:],
                min_words=self.min_report_words,
                max_words=self.max_report_words,
                max_citations=self.max_citations,
            )
        written: list[DraftSentence] = []
        invented: list[str] = []
        for one in answer.sentences:
            known, unknown = keyed.resolve(one.keys)
            invented += unknown
            if known:
                cited = tuple(segment.segment_id for segment in known)[: self.max_citations]
                written.append(DraftSentence(text=one_line(one.text), segment_ids=cited))
        silent = sorted({number for number in answer.silent if 0 < number <= len(asked)})
        return DraftReport(
            sentences=tuple(written),
            invented_keys=tuple(invented),
            notes=tuple(f"nothing found on: {asked[number - 1]}" for number in silent),
        )


NARRATIVE_PROMPT = load_prompt(Path(__file__).with_name("narrative.prompt.md"))
SUB_NARRATIVES_PROMPT = load_prompt(Path(__file__).with_name("sub_narratives.prompt.md"))

MOST = 10
MOST_WORDS = 12


class NarrativeDraft(Value):
    """What somebody wants to understand."""

    narrative: Annotated[str, Field(min_length=1)]


class SubNarrative(Value):
    """One thing that a narrative asks for."""

    text: str
    importance: Literal["vital", "okay"]


class SubNarratives(Value):
    """All of them, the most important first."""

    sub_narratives: tuple[SubNarrative, ...] = Field(min_length=1, max_length=MOST)


async def write_narrative(queries: Sequence[str], model: PromptedModel) -> str:
    """Return a narrative of two or three sentences that covers some queries.

    Raises:
        ReplyError: The model gave no usable answer.
    """
    answer = await model.answer(
        NARRATIVE_PROMPT, NarrativeDraft, check=_check_narrative, queries=list(queries)
    )
    return one_line(answer.narrative)


async def split_into_sub_narratives(
    narrative: str, queries: Sequence[str], drafter: PromptedModel, reviser: PromptedModel
) -> tuple[SubNarrative, ...]:
    """Return the sub-narratives of a narrative, at most ten, the most important first.

    `queries` are searches that it was made from, if any. A small model will do as `drafter`.

    Raises:
        ReplyError: A model gave no usable answer.
    """
    found: tuple[SubNarrative, ...] = ()
    known = list(queries)
    for model, refine in ((drafter, False), (reviser, True)):
        answer = await model.answer(
            SUB_NARRATIVES_PROMPT,
            SubNarratives,
            check=_check_sub_narratives,
            narrative=narrative,
            known=known,
            most=MOST,
            most_words=MOST_WORDS,
            refine=refine,
        )
        found = answer.sub_narratives
        known = [one.text for one in found]
    return tuple(one.model_copy(update={"text": one_line(one.text)}) for one in found)


def _check_narrative(answer: NarrativeDraft) -> None:
    """Raise a ValueError if there are too few sentences, or too many."""
    found = len(sentences(one_line(answer.narrative)))
    if not 2 <= found <= 3:
        raise ValueError(f"the narrative has {found} sentences; expected two or three")


def _check_sub_narratives(answer: SubNarratives) -> None:
    """Raise a ValueError if a sub-narrative is empty, too long, or there twice."""
    seen: set[str] = set()
    for number, one in enumerate(answer.sub_narratives, start=1):
        words, text = budget_words(one.text), one_line(one.text).casefold()
        if not 1 <= words <= MOST_WORDS:
            raise ValueError(f"item {number} has {words} words; expected 1 to {MOST_WORDS}")
        if text in seen:
            raise ValueError(f"item {number} asks for what an earlier one does")
        seen.add(text)
