"""Drafting of narratives, and their split into sub-narratives by a draft and its revision.

Source: TREC 2025 RAG track overview, section 2 and figures 2 and 3.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.text import budget_words, one_line, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.llm.prompted import PromptedModel

NARRATIVE_PROMPT = load_prompt(Path(__file__).with_name("narrative.prompt.md"))
SUB_NARRATIVES_PROMPT = load_prompt(Path(__file__).with_name("sub_narratives.prompt.md"))

MOST = 10
MOST_WORDS = 12
_SENTENCES = (2, 3)


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

    Args:
        narrative: The narrative.
        queries: Searches that it was made from; may be empty.
        drafter: Who drafts; a small model will do.
        reviser: Who revises the draft.

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
    """Count the sentences.

    Raises:
        ValueError: There are too few or too many.
    """
    found = len(sentences(one_line(answer.narrative)))
    if not _SENTENCES[0] <= found <= _SENTENCES[1]:
        raise ValueError(f"the narrative has {found} sentences; expected two or three")


def _check_sub_narratives(answer: SubNarratives) -> None:
    """Check that a list holds valid sub-narratives.

    Raises:
        ValueError: One is empty, too long, or there twice.
    """
    seen: set[str] = set()
    for number, one in enumerate(answer.sub_narratives, start=1):
        words, text = budget_words(one.text), one_line(one.text).casefold()
        if not 1 <= words <= MOST_WORDS:
            raise ValueError(f"item {number} has {words} words; expected 1 to {MOST_WORDS}")
        if text in seen:
            raise ValueError(f"item {number} asks for what an earlier one does")
        seen.add(text)
