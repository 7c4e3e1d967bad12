"""Revise a report without a model: what does not stand is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.report import Revision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.angle import Angle
    from sidelight.schemas.evidence import EvidenceSet
    from sidelight.schemas.profile import ArticleProfile
    from sidelight.schemas.report import CheckedReport
    from sidelight.schemas.segment import Segment


class ExtractiveReviser:
    """The role `revise_report` without a model."""

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return the draft that stood."""
        return Revision(draft=checked.draft)
