"""The verdict in a model's words: what it says last, and nothing outside the scale.

Reasoning names other grades on its way ("not a 0", "from 0 to 3"), so only the last verdict counts;
and one that is not on the scale is no verdict, whatever stands before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection

# What may stand around a verdict; a sign or a full stop before it is part of it.
_BEFORE, _AFTER = r"[\s*_\"'`#\[({<=]{0,8}", r"[\s*_\"'`\])}>.!;]{0,8}"
_SAID = r"(?P<said>[+-]?(?:\d{1,4})?(?:[.,]\d{1,4})+|[+-]?\d{1,4}|[^\W\d_]{1,20})"
_MARKED = re.compile(
    rf"(?:score|grade|verdict|label|rating|decision|answer|relevance){_BEFORE}(?:is\b|:|=)"
    rf"{_BEFORE}{_SAID}",
    re.IGNORECASE,
)
_PLAIN = re.compile(rf"{_BEFORE}{_SAID}{_AFTER}")
_LAST = 4_000  # characters; a verdict stands at the end


def last_verdict(text: str, verdicts: Collection[str]) -> str | None:
    """Return what a reply decides, in small letters; None where it is not one of the verdicts.

    A reply that is a single word or number is its verdict. Otherwise it is what follows the last
    mark such as `final score:` or `verdict:`.

    Args:
        text: The reply.
        verdicts: What may be said, in small letters.
    """
    said = one_line(text[-_LAST:])
    plain = _PLAIN.fullmatch(said)
    if plain:
        found = plain["said"]
    else:
        marks = [match["said"] for match in _MARKED.finditer(said)]
        if not marks:
            return None
        found = marks[-1]
    folded = found.casefold()
    return folded if folded in verdicts else None
