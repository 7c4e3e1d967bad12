"""Revise a report without a model: what does not stand makes room for what is in reserve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.extractive.write_report.ordering import by_subject
from sidelight.generation.refill import refill
from sidelight.schemas.investigation.report import Revision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.investigation.report import CheckedReport
    from sidelight.schemas.segment import Segment


class ExtractiveReviser:
    """The role `revise_report` without a model.

    Args:
        max_report_words: The track's limit.
    """

    def __init__(self, max_report_words: int) -> None:
        self._max_words = max_report_words

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return the draft that stood, filled up from its reserve, in order."""
        # What says the same as something chosen never gets into a reserve.
        draft = refill(checked.draft, angles, evidence, self._max_words, lambda *_: False)
        return Revision(
            draft=draft.model_copy(update={"sentences": by_subject(draft.sentences, profile)})
        )
