"""The order of a report: who speaks, then what matters most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.reading.names import mentions, name_forms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.investigation.report import DraftSentence


def by_subject(
    sentences: Iterable[DraftSentence], profile: ArticleProfile
) -> tuple[DraftSentence, ...]:
    """Return sentences on the outlet, then on the author, then all others, each as they come.

    Args:
        sentences: What a report says, what matters most first.
        profile: The article.
    """
    authors = tuple(form for author in profile.authors for form in name_forms(author))

    def place(sentence: DraftSentence) -> int:
        subjects = (profile.outlet, authors)
        named = (at for at, names in enumerate(subjects) if mentions(sentence.text, names))
        return next(named, len(subjects))

    return tuple(sorted(sentences, key=place))
