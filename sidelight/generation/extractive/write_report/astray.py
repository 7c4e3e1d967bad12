"""Which statements are about something else than the article, for all that a search found them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.generation.statements.name_words import has_name
from sidelight.wording import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.generation.extractive.write_report.knowledge import Reader

# The cosine of all-MiniLM-L6-v2 with the nearest sentence of the article that next to nothing on
# the same matter stays below.
_ASTRAY, _GENERAL = 0.37, 0.5


def astray(
    texts: Sequence[str],
    near: npt.NDArray[np.float64],
    behind: npt.NDArray[np.bool_],
    reader: Reader,
) -> npt.NDArray[np.bool_]:
    """Tell of each statement whether it is about something else altogether.

    What is said of the outlet, an author or whoever is behind them may be far from all that the
    article says; but if it then speaks of an article, it means another one. What names nothing and
    gives no figure has to be nearer: any page holds general truths.

    Args:
        texts: The statements.
        near: How close each is to the nearest sentence of the article, in [0, 1].
        behind: See `leads_to_ties`.
        reader: Somebody who has read the article.
    """
    may_be_far = [
        (is_behind or reader.is_about(text)) and not reader.speaks_of_article(text)
        for text, is_behind in zip(texts, behind, strict=True)
    ]
    least = [_ASTRAY if has_name(text) or figures(text) else _GENERAL for text in texts]
    return np.asarray((near < np.array(least)) & ~np.array(may_be_far, dtype=bool))
