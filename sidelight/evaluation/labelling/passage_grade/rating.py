"""What a model's words come to as a grade, where they are no plain grade.

Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 4.2.1 and its third footnote. The code
published with the paper has both fallbacks the other way round; `workbench` does as it does.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from sidelight.schemas.grading.graded_passage import HIGHEST_RATING
from sidelight.text import one_line, tokens

UNANSWERABLE = (
    "unanswerable",
    "no",
    "no answer",
    "not enough information",
    "unknown",
    "it is not possible to tell",
    "it does not say",
    "no relevant information",
)
"""What says that a passage holds no answer, as the paper lists it."""

_DIGIT = re.compile(r"[^\w]*([0-9])[^\w]*")
_LOOKED_AT = 200  # characters; a longer reply is no plain grade and none of the phrases
_ALIKE = 0.8


def self_rating(text: str, *, workbench: bool = False) -> int:
    """Return the grade that a reply stands for, from 0 to 5.

    A single digit from 0 to 5 is a grade. Of the rest, what says that there is no answer is 0, and
    anything else 1.

    Args:
        text: What the model said.
        workbench: Do as the published code: what says that there is no answer, or nearly in such
            words, is 1, and anything else 0.
    """
    said = one_line(text[:_LOOKED_AT]) if len(text) <= _LOOKED_AT else ""
    digit = _DIGIT.fullmatch(said)
    if digit and int(digit[1]) <= HIGHEST_RATING:
        return int(digit[1])
    words = " ".join(tokens(said))
    none = words in UNANSWERABLE
    if workbench:
        near = any(SequenceMatcher(None, words, one).ratio() > _ALIKE for one in UNANSWERABLE)
        return int(none or near or not words)
    return int(not none)
