"""Check a report without a model: by the words of sentences and sources."""

from __future__ import annotations

from sidelight.checks.support import LexicalSupportCheck
from sidelight.generation.support_checker import SupportChecker


class ExtractiveChecker(SupportChecker):
    """The role `check_report` without a model."""

    def __init__(self) -> None:
        super().__init__(LexicalSupportCheck())
