"""Hold every sentence of a report against what it cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.support import SUPPORT_SCALE, LexicalSupportCheck
from sidelight.errors import ReplyError
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.no_evidence import NO_EVIDENCE
from sidelight.generation.reading.sentence_fault import sentence_fault
from sidelight.schemas.investigation.report import CheckedReport, Removal
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.checks.support import Support, SupportCheck
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.investigation.report import DraftReport, DraftSentence


class SupportChecker:
    """The role `check_report`: with a model or without, as its support check is.

    Only a sentence that what it cites supports in full stands. One on which a model gives no usable
    answer is held against the words of what it cites, which is stricter.

    Args:
        support: Tells how much of a sentence its sources say.
    """

    def __init__(self, support: SupportCheck) -> None:
        self._support = support
        self._by_words = LexicalSupportCheck()

    async def __call__(
        self, profile: ArticleProfile, draft: DraftReport, evidence: EvidenceSet
    ) -> CheckedReport:
        """Return the sentences that stand, and those that do not with the reason.

        Raises:
            ReplyError: The model gave no usable answer on any sentence.
        """
        texts = {item.segment.segment_id: item.segment.text for item in evidence.items}
        article = one_line(profile.body)
        sources = [
            [texts[one] for one in sentence.segment_ids if one in texts]
            for sentence in draft.sentences
        ]
        removals = [
            _fault(sentence, cited, article)
            for sentence, cited in zip(draft.sentences, sources, strict=True)
        ]
        asked = [
            place
            for place, sentence in enumerate(draft.sentences)
            if removals[place] is None and sentence.text != NO_EVIDENCE
        ]
        supports = await answers(
            self._support(draft.sentences[place].text, sources[place]) for place in asked
        )
        for place, outcome in zip(asked, supports, strict=True):
            sentence = draft.sentences[place]
            support = (
                await self._by_words_instead(outcome, sentence.text, sources[place])
                if isinstance(outcome, ReplyError)
                else outcome
            )
            removals[place] = _unsupported(sentence, support)
        kept = tuple(
            sentence
            for sentence, removal in zip(draft.sentences, removals, strict=True)
            if removal is None
        )
        return CheckedReport(
            draft=draft.model_copy(update={"sentences": kept}),
            removed=tuple(removal for removal in removals if removal is not None),
        )

    async def _by_words_instead(
        self, error: ReplyError, sentence: str, sources: Sequence[str]
    ) -> Support:
        support = await self._by_words(sentence, sources)
        reason = f"by its words, for want of an answer ({type(error).__name__})"
        return support.model_copy(update={"reason": f"{reason}: {support.reason}"})


def _fault(sentence: DraftSentence, sources: Sequence[str], article: str) -> Removal | None:
    """Return what no reading of the sources could mend."""
    fault = sentence_fault(sentence.text)
    if not fault and sentence.text in article:
        fault = "the article says it itself"
    if fault:
        return Removal(sentence=sentence, label="unfit", reason=fault)
    if not sources and sentence.text != NO_EVIDENCE:
        return Removal(sentence=sentence, label="none", reason="it cites no evidence")
    return None


def _unsupported(sentence: DraftSentence, support: Support) -> Removal | None:
    if support.label == SUPPORT_SCALE.highest:
        return None
    return Removal(sentence=sentence, label=support.label, reason=support.reason)
