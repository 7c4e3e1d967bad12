"""Whether what a sentence cites says what the sentence says: one label for a sentence."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - a NamedTuple reads it
from typing import NamedTuple

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.evaluation.labelling.protocol import LabellingProtocol


class SupportCase(NamedTuple):
    """A sentence and what it is held against.

    Attributes:
        sentence: The sentence.
        sources: The texts it cites, at least one.
        asked: The query or narrative that it answers; empty where there is none.
    """

    sentence: str
    sources: Sequence[str]
    asked: str = ""


SUPPORT = LabellingProtocol[SupportCase](
    name="support of sentences",
    scale=SUPPORT_SCALE,
    units=lambda case: [case.sentence],
)
"""The scale is that of the support evaluation of TREC RAG 2025."""
