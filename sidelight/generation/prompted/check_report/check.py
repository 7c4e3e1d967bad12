"""Check a report with a model, which reads each sentence beside what it cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.support import SUPPORT_PROMPT, PromptedSupportCheck
from sidelight.generation.support_checker import SupportChecker
from sidelight.llm.asked import Asked

if TYPE_CHECKING:
    from sidelight.llm.prompted import PromptedModel


class PromptedChecker(SupportChecker):
    """The role `check_report` with a model.

    Args:
        checker: Who reads.
    """

    asks = (Asked(SUPPORT_PROMPT, calls=13.4, characters=2_800, written=25, model="checker"),)

    def __init__(self, checker: PromptedModel) -> None:
        super().__init__(PromptedSupportCheck(checker))
