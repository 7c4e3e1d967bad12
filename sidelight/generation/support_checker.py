"""Support checker: compares every sentence of a report with its citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidelight.checks.support import (
    SUPPORT_SCALE,
    LearnedSupportCheck,
    Support,
    SupportCheck,
    best_support,
)
from sidelight.english.names import host_label
from sidelight.english.neutrality import sentence_fault
from sidelight.errors import ReplyError
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.no_evidence import NO_EVIDENCE
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
    SentenceSupport,
)
from sidelight.schemas.segment import Segment
from sidelight.text import one_line, tokens
from sidelight.text_vectors import Encode


class SupportChecker:
    """The role `check_report`: with a model or without, as its support check is.

    Only a sentence that what it cites supports in full stands. Where a model is asked, it decides,
    and the check that learned from people does so only for want of a usable answer; but how far
    what stands is supported, the report says by what was learned from people, whoever decided.

    Args:
        encode: Texts to vectors by the default encoder, for what learned from people.
        asked: Who decides; None leaves it to what learned from people.
    """

    def __init__(self, encode: Encode, asked: SupportCheck | None = None) -> None:
        self._learned = LearnedSupportCheck(encode, strict=True)
        self._asked = asked

    async def __call__(
        self, profile: ArticleProfile, draft: DraftReport, evidence: EvidenceSet
    ) -> CheckedReport:
        """Return the sentences that stand, and those that do not with the reason.

        Raises:
            ReplyError: The model gave no usable answer on any sentence.
        """
        segments = {item.segment.segment_id: item.segment for item in evidence.items}
        texts = {one: segment.text for one, segment in segments.items()}
        article = one_line(profile.body)
        cited = [
            tuple(one for one in sentence.segment_ids if one in texts)
            for sentence in draft.sentences
        ]
        sources = [[texts[one] for one in segment_ids] for segment_ids in cited]
        removals = [
            _fault(sentence, found, article)
            for sentence, found in zip(draft.sentences, sources, strict=True)
        ]
        asked = [
            place
            for place, sentence in enumerate(draft.sentences)
            if removals[place] is None and sentence.text != NO_EVIDENCE
        ]
        cases = [(draft.sentences[place].text, sources[place]) for place in asked]
        learned = self._learned.by_source(
            [
                (without_attribution(text, [segments[one] for one in cited[place]]), found)
                for place, (text, found) in zip(asked, cases, strict=True)
            ],
            asked=profile.asked,
        )
        decided = await self._decided(cases, [best_support(supports) for supports in learned])
        for place, support in zip(asked, decided, strict=True):
            removals[place] = _unsupported(draft.sentences[place], support)
        kept = tuple(
            sentence
            for sentence, removal in zip(draft.sentences, removals, strict=True)
            if removal is None
        )
        return CheckedReport(
            draft=draft.model_copy(update={"sentences": kept}),
            removed=tuple(removal for removal in removals if removal is not None),
            stood=tuple(
                _standing(draft.sentences[place].text, cited[place], supports)
                for place, supports in zip(asked, learned, strict=True)
                if removals[place] is None
            ),
        )

    async def _decided(
        self, cases: Sequence[tuple[str, Sequence[str]]], learned: list[Support]
    ) -> list[Support]:
        """Return for each case the support that decides whether its sentence is kept."""
        if self._asked is None:
            return learned
        outcomes = await answers(self._asked(*case) for case in cases)
        return [
            _instead_of(outcome, support) if isinstance(outcome, ReplyError) else outcome
            for outcome, support in zip(outcomes, learned, strict=True)
        ]


_ATTRIBUTION = re.compile(
    r"^(?P<said>.+), (?:according to (?:the [a-z ]+, )?(?P<speaker>\"[^\"]+\"|[^,\"]+)"
    r"|by its own account)\.$"
)


_INSERTED = re.compile(r"\[[^\[\]]+\]")


def without_attribution(sentence: str, pages: Sequence[Segment]) -> str:
    """Return a sentence without "according to" a page it cites, which says so by being there.

    A name in square brackets, which stands for a word of the page, is that word again.
    """
    sentence = _INSERTED.sub("it", sentence)
    match = _ATTRIBUTION.match(sentence)
    if match is None:
        return sentence
    speaker = (match["speaker"] or "").strip('"')
    letters = "".join(tokens(speaker))
    is_there = not speaker or any(
        speaker in page.title
        or speaker == page.host
        or letters.removeprefix("the").startswith(host_label(page.host) or " ")
        for page in pages
    )
    return f"{match['said']}." if is_there else sentence


def _standing(
    text: str, segment_ids: tuple[str, ...], supports: Sequence[Support]
) -> SentenceSupport:
    best = best_support(supports)
    return SentenceSupport(
        text=text,
        segment_ids=segment_ids,
        said_by=tuple(
            segment_id
            for segment_id, support in zip(segment_ids, supports, strict=True)
            if support.label == best.label
        ),
        label=best.label,
        reason=best.reason,
    )


def _instead_of(error: ReplyError, support: Support) -> Support:
    reason = f"for want of an answer ({type(error).__name__})"
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
