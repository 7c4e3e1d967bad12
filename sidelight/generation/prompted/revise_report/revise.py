"""Revise a report with a model: what did not stand is written anew, or gives way to the reserve."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.prompted.keys import MAX_CITED, KeyedSegments
from sidelight.generation.prompted.write_report.same_fact import SameFact
from sidelight.generation.reading.sentence_fault import sentence_fault
from sidelight.generation.refill import as_candidates, refill
from sidelight.llm.asked import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import DraftSentence, Revision
from sidelight.text import budget_words, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.investigation.report import CheckedReport, DraftReport, Removal
    from sidelight.schemas.segment import Segment
    from sidelight.text_vectors import Encode

PROMPT = load_prompt(Path(__file__).with_name("revise.prompt.md"))

_SEGMENT_WORDS = 250
_SENTENCE_WORDS = 35


class RevisedSentence(Value):
    """A sentence in place of one that did not stand, or an empty one."""

    reason: str = Field(max_length=400)
    sentence: str = Field(max_length=400, description=f"at most {_SENTENCE_WORDS} words")
    keys: tuple[Annotated[str, Field(max_length=20)], ...] = Field(max_length=MAX_CITED)


class Rewritten(NamedTuple):
    """What became of a removed sentence: none where `sentence` is None.

    Attributes:
        sentence: What takes its place.
        cited: The segments it cites.
        invented_keys: Keys that stand for nothing.
    """

    sentence: DraftSentence | None
    cited: tuple[Segment, ...]
    invented_keys: tuple[str, ...]


class PromptedReviser:
    """The role `revise_report` with a model.

    Each removed sentence gets one call with what it cited and what a search for it brought, each
    cut to its first 250 words. The words that stay free are refilled from the reserve.

    Args:
        writer: Who writes.
        encode: Tells which sentences are the same.
        max_report_words: The track's limit.
    """

    asks = (Asked(PROMPT, calls=23.5, characters=9_350, written=60),)

    def __init__(self, writer: PromptedModel, encode: Encode, max_report_words: int) -> None:
        self._model = writer
        self._encode = encode
        self._max_words = max_report_words

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return a draft that keeps what stood; rewritten sentences follow it, then the reserve.

        Raises:
            ReplyError: Sentences were removed, and on none was there a usable answer.
        """
        outcomes = await answers(
            self._rewritten(profile, evidence, removal, found.get(removal.sentence.text, ()))
            for removal in checked.removed
        )
        rewritten = [one for one in outcomes if not isinstance(one, ReplyError)]
        known = frozenset(evidence.segment_ids().values())
        taken = EvidenceSet.merge(
            *(
                EvidenceSet(items=(Evidence(segment=segment, relevance=one.sentence.covers),))
                for one in rewritten
                if one.sentence is not None
                for segment in one.cited
                if segment.segment_id not in known
            )
        )
        everything = EvidenceSet.merge(evidence, taken)
        draft = checked.draft
        new = [one.sentence for one in rewritten if one.sentence is not None]
        texts = [one.text for one in (*draft.sentences, *draft.reserve, *new)]
        same = await asyncio.to_thread(SameFact, self._encode, texts)
        for sentence in new:
            if self._has_place(sentence, draft, everything, same):
                draft = draft.model_copy(update={"sentences": (*draft.sentences, sentence)})
        draft = draft.model_copy(
            update={
                "invented_keys": (
                    *draft.invented_keys,
                    *(key for one in rewritten for key in one.invented_keys),
                ),
                "notes": (
                    *draft.notes,
                    *(
                        f"not rewritten, for want of an answer: {type(one).__name__}"
                        for one in outcomes
                        if isinstance(one, ReplyError)
                    ),
                ),
            }
        )
        draft = refill(draft, angles, everything, self._max_words, same)
        cited = {segment_id for one in draft.sentences for segment_id in one.segment_ids}
        used = tuple(item for item in taken.items if item.segment.segment_id in cited)
        return Revision(draft=draft, evidence=EvidenceSet(items=used))

    async def _rewritten(
        self,
        profile: ArticleProfile,
        evidence: EvidenceSet,
        removal: Removal,
        found: Sequence[Segment],
    ) -> Rewritten:
        removed = removal.sentence
        # What is new can only be evidence for the angles that the sentence spoke to.
        fresh = found if removed.covers else ()
        by_id = {item.segment.segment_id: item.segment for item in evidence.items}
        shown = {
            segment.segment_id: segment
            for segment in (
                *(by_id[one] for one in removed.segment_ids if one in by_id),
                *fresh,
            )
        }
        if not shown:
            return Rewritten(None, (), ())
        keyed = KeyedSegments(list(shown.values()), _SEGMENT_WORDS)
        answer = await self._model.answer(
            PROMPT,
            RevisedSentence,
            check=_check,
            profile=profile,
            segments=keyed.shown,
            sentence=removed.text,
            reason=removal.reason,
            max_words=_SENTENCE_WORDS,
        )
        cited, invented = keyed.resolve(answer.keys)
        if not answer.sentence or not cited:
            return Rewritten(None, (), invented)
        sentence = DraftSentence(
            text=one_line(answer.sentence),
            segment_ids=tuple(segment.segment_id for segment in cited),
            covers=removed.covers,
        )
        return Rewritten(sentence, cited, invented)

    def _has_place(
        self, sentence: DraftSentence, draft: DraftReport, evidence: EvidenceSet, same: SameFact
    ) -> bool:
        words = sum(budget_words(one.text) for one in (*draft.sentences, sentence))
        (candidate,) = as_candidates([sentence], evidence)
        return words <= self._max_words and not any(
            same(known, candidate) for known in as_candidates(draft.sentences, evidence)
        )


def _check(answer: RevisedSentence) -> None:
    text = one_line(answer.sentence)
    if text and (fault := sentence_fault(text)):
        raise ValueError(f"sentence: {fault}")
