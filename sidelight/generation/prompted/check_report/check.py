"""Check a report with a model, which reads each sentence beside what it cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.support import SUPPORT_PROMPT, PromptedSupportCheck
from sidelight.generation.support_checker import SupportChecker
from sidelight.llm.asked import Asked

if TYPE_CHECKING:
    from sidelight.llm.prompted import PromptedModel
    from sidelight.text_vectors import Encode


class PromptedChecker(SupportChecker):
    """The role `check_report` with a model.

    Args:
        checker: Who reads.
        encode: Stands in where it gives no usable answer, and labels what stands.
    """

    asks = (Asked(SUPPORT_PROMPT, calls=13.4, characters=2_800, written=25, model="checker"),)

    def __init__(self, checker: PromptedModel, encode: Encode) -> None:
        super().__init__(encode, PromptedSupportCheck(checker))
