"""Whether what a sentence cites says what it says, by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.support import LexicalSupportCheck
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.support.protocol import SupportCase

_CHECK = LexicalSupportCheck()


async def label_by_words(case: SupportCase) -> list[Judgment]:
    """Return the one judgment on a sentence."""
    support = await _CHECK(case.sentence, case.sources)
    return [Judgment(support.label, one_line(support.reason))]
