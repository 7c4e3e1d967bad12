"""Usefulness by any check of it: by nearest sentences, or by a model's reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.checks.usefulness import UsefulnessCheck
    from sidelight.evaluation.labelling.usefulness.protocol import UsefulnessCase


class UsefulnessLabeller:
    """Labels as those who rank documents do.

    Args:
        check: Tells how useful documents are.
    """

    def __init__(self, check: UsefulnessCheck) -> None:
        self._check = check

    async def __call__(self, case: UsefulnessCase) -> list[Judgment]:
        """Return one judgment for each document, in order."""
        found = await self._check(case.article, case.question, case.documents)
        return [
            Judgment(one.label or Unjudged(reason=one.reason), one_line(one.reason))
            for one in found
        ]
