"""What an outlet is called: pages write a name where an address writes one word."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sidelight.generation.reading.names import host_label
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.schemas.investigation.profile import ArticleProfile


_MIN_LABEL = 7  # shorter ones are words that any text may hold


def outlet_name(profile: ArticleProfile, pages: Iterable[str]) -> str:
    """Return the outlet's name, or its host if nothing calls it otherwise.

    Args:
        profile: The article.
        pages: What was read about it.
    """
    outlet = profile.publisher
    label = host_label(outlet)
    if "." not in outlet or " " in outlet or len(label) < _MIN_LABEL:
        return outlet
    letters = r"\s?".join(map(re.escape, label))
    pattern = re.compile(rf"(?<![\w.@/]){letters}(?![\w.])", re.IGNORECASE)
    found = Counter(
        one_line(form)
        for text in (profile.body, *pages)
        for form in pattern.findall(text)
        if form[0].isupper()
    )
    return max(found, key=lambda form: (found[form], form)) if found else outlet
