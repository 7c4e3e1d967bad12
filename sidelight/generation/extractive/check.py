"""Check a report without a model: by what people's labels taught."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.support_checker import SupportChecker

if TYPE_CHECKING:
    from sidelight.text_vectors import TextVectors


class ExtractiveChecker(SupportChecker):
    """The role `check_report` without a model.

    Args:
        sentences: Encodes sentences; those of the sources are mostly known to it already.
    """

    def __init__(self, sentences: TextVectors) -> None:
        super().__init__(sentences)
