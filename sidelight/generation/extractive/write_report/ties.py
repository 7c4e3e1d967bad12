"""Which statements tell who pays, owns or employs the outlet, the author or a cited study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.extractive.write_report.answering import tells_of_ties
from sidelight.generation.reading.names import (
    find_names,
    looks_like_place,
    mentions,
    name_forms,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.investigation.profile import ArticleProfile


def leads_to_ties(texts: Sequence[str], profile: ArticleProfile) -> list[bool]:
    """Tell of each statement whether it is about who is behind the article, at most one step away.

    Whoever one statement ties to the outlet, an author or a cited study is behind the article, and
    what another says of their ties leads there.
    """
    behind = [
        form
        for name in filter(None, (profile.publisher, *profile.authors, *profile.studies))
        for form in name_forms(name)
    ]
    telling = [text for text in texts if tells_of_ties(text)]
    tied = {
        name
        for text in telling
        if mentions(text, behind)
        for name in find_names(text)
        if " " in name and not looks_like_place(name)
    }
    behind += [form for name in sorted(tied) for form in name_forms(name)[:1]]
    leading = {text for text in telling if mentions(text, behind)}
    return [text in leading for text in texts]
