"""The sentences of a report and what they cite, as the values that a page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.view.web_page import WebPage


@dataclass(frozen=True, slots=True)
class Source:
    """A cited segment.

    Attributes:
        number: 1-based, in the order of first citation.
        segment_id: Its id.
        page: Where it stands.
        name: Who publishes it.
        kind: Of page; empty where it does not show.
        date: As the page has it; empty where it bears none.
        passages: The segment as it is, piece by piece, and whether a sentence of the report rests
            on the piece.
        cited_by: Numbers of the sentences that cite it.
    """

    number: int
    segment_id: str
    page: WebPage
    name: str
    kind: str
    date: str
    passages: tuple[tuple[str, bool], ...]
    cited_by: tuple[int, ...]

    @property
    def text(self) -> str:
        """The segment as it is."""
        return "".join(text for text, _ in self.passages)


@dataclass(frozen=True, slots=True)
class Citation:
    """A source as one sentence uses it; its text is `before + nearest + after`.

    Attributes:
        source: What is cited.
        before: Its text up to the nearest sentence.
        nearest: The sentence of the source that shares most words with the citing one.
        after: The rest.
        supports: Whether it is among those that support the sentence as far as its label says.
    """

    source: Source
    before: str
    nearest: str
    after: str
    supports: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the report.

    Attributes:
        number: 1-based.
        text: The sentence.
        citations: What it rests on.
        support: How far that supports it: `full`, `partial`, `none`, `unjudged` or `uncited`.
        reason: Who says so, and why.
    """

    number: int
    text: str
    citations: tuple[Citation, ...]
    support: str
    reason: str
