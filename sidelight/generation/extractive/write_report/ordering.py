"""The order of a report: by subject, as a reader wants to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.reading.names import mentions, name_forms
from sidelight.schemas.investigation.angle import Aspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.investigation.report import DraftSentence


def by_subject(
    sentences: Iterable[DraftSentence], profile: ArticleProfile, angles: Sequence[Angle]
) -> tuple[DraftSentence, ...]:
    """Return sentences on the outlet, then on the author, then by what they speak to most.

    What speaks to one angle follows the order of the pages.

    Args:
        sentences: What a report says, in any order.
        profile: The article.
        angles: What it covers, in the order of the report.
    """
    outlet = tuple(filter(None, (profile.publisher, profile.host)))
    authors = tuple(form for author in profile.authors for form in name_forms(author))
    others = [angle for angle in angles if angle.aspect not in {Aspect.PUBLISHER, Aspect.AUTHOR}]

    def place(sentence: DraftSentence) -> tuple[int, int, tuple[str, ...]]:
        if mentions(sentence.text, outlet):
            return (0, 0, sentence.segment_ids)
        if mentions(sentence.text, authors):
            return (1, 0, sentence.segment_ids)
        speaks = [
            round(sentence.covers.get(angle.angle_id, 0.0) * angle.weight, 9) for angle in others
        ]
        best = max(range(len(speaks)), key=speaks.__getitem__, default=0)
        return (2, best, sentence.segment_ids)

    return tuple(sorted(sentences, key=place))
