"""Whether what a sentence cites says what it says, by a model's reading.

The sentence is put with the prompt with which a writer of reports checks its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.support import PromptedSupportCheck
from sidelight.errors import ReplyError
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.support.protocol import SupportCase
    from sidelight.llm.prompted import PromptedModel


class PromptedSupport:
    """Labels by asking a model, which sees all sources of a sentence at once.

    Args:
        model: Who is asked.
    """

    def __init__(self, model: PromptedModel) -> None:
        self._check = PromptedSupportCheck(model)

    async def __call__(self, case: SupportCase) -> list[Judgment]:
        """Return the one judgment on a sentence."""
        try:
            support = await self._check(case.sentence, case.sources)
        except ReplyError as error:
            return [Judgment(Unjudged(reason=error.message), one_line(error.message))]
        return [Judgment(support.label, one_line(support.reason))]
