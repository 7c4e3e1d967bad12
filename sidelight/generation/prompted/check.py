"""Hold every sentence of a report against what it cites."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sidelight.checks.support import LexicalSupportCheck, SupportLabel
from sidelight.errors import ReplyError
from sidelight.generation.no_evidence import NO_EVIDENCE
from sidelight.generation.sentence_fault import sentence_fault
from sidelight.schemas.report import CheckedReport, Removal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.checks.support import Support, SupportCheck
    from sidelight.schemas.evidence import EvidenceSet
    from sidelight.schemas.profile import ArticleProfile
    from sidelight.schemas.report import DraftReport, DraftSentence


class PromptedChecker:
    """The role `check_report` with a model.

    Only a sentence that what it cites supports in full stands. One on which the model gives no
    usable answer is held against the words of what it cites, which is stricter; that its first
    citation holds it word for word, as the role without a model wants, no written sentence meets.

    Args:
        support: Tells how much of a sentence its sources say.
    """

    def __init__(self, support: SupportCheck) -> None:
        self._support = support
        self._by_words = LexicalSupportCheck()

    async def __call__(
        self, profile: ArticleProfile, draft: DraftReport, evidence: EvidenceSet
    ) -> CheckedReport:
        """Return the sentences that stand, and those that do not with the reason."""
        texts = {item.segment.segment_id: item.segment.text for item in evidence.items}
        removals = await asyncio.gather(*(self._removal(one, texts) for one in draft.sentences))
        kept = tuple(
            sentence
            for sentence, removal in zip(draft.sentences, removals, strict=True)
            if removal is None
        )
        return CheckedReport(
            draft=draft.model_copy(update={"sentences": kept}),
            removed=tuple(removal for removal in removals if removal is not None),
        )

    async def _removal(self, sentence: DraftSentence, texts: Mapping[str, str]) -> Removal | None:
        if sentence.text == NO_EVIDENCE:
            return None
        if fault := sentence_fault(sentence.text):
            return Removal(sentence=sentence, label="unfit", reason=fault)
        sources = [texts[one] for one in sentence.segment_ids if one in texts]
        if not sources:
            return Removal(sentence=sentence, label="none", reason="it cites no evidence")
        support = await self._supported(sentence.text, sources)
        if support.label is SupportLabel.FULL:
            return None
        label = "partial" if support.label is SupportLabel.PARTIAL else "none"
        return Removal(sentence=sentence, label=label, reason=support.reason)

    async def _supported(self, sentence: str, sources: Sequence[str]) -> Support:
        try:
            return await self._support(sentence, sources)
        except ReplyError as error:
            support = await self._by_words(sentence, sources)
            reason = f"by its words, for want of an answer ({type(error).__name__})"
            return support.model_copy(update={"reason": f"{reason}: {support.reason}"})
