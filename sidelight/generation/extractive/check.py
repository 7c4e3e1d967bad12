"""Check a report without a model: each sentence must stand, word for word, in what it cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.extractive.sentence_index import is_quotable
from sidelight.generation.no_evidence import NO_EVIDENCE
from sidelight.schemas.report import CheckedReport, Removal
from sidelight.text import one_line, sentences

if TYPE_CHECKING:
    from sidelight.schemas.evidence import EvidenceSet
    from sidelight.schemas.profile import ArticleProfile
    from sidelight.schemas.report import DraftReport, DraftSentence


class ExtractiveChecker:
    """The role `check_report` without a model."""

    async def __call__(
        self, profile: ArticleProfile, draft: DraftReport, evidence: EvidenceSet
    ) -> CheckedReport:
        """Return the sentences that their first citation contains and the article does not."""
        texts = {item.segment.segment_id: one_line(item.segment.text) for item in evidence.items}
        article = one_line(profile.body)
        kept, removed = [], []
        for sentence in draft.sentences:
            reason = _fault(sentence, texts, article)
            if reason:
                removed.append(Removal(sentence=sentence, label="none", reason=reason))
            else:
                kept.append(sentence)
        stands = draft.model_copy(update={"sentences": tuple(kept)})
        return CheckedReport(draft=stands, removed=tuple(removed))


def _fault(sentence: DraftSentence, texts: dict[str, str], article: str) -> str:
    if sentence.text == NO_EVIDENCE:
        return ""
    if not sentence.segment_ids or sentence.text not in texts.get(sentence.segment_ids[0], ""):
        return "not in what it cites"
    if sentence.text in article:
        return "taken from the target article"
    if len(sentences(sentence.text)) != 1 or not is_quotable(sentence.text):
        return "cannot stand alone"
    return ""
