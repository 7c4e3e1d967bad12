"""Digest values: a lead, a table, paragraphs, and questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.view.report import ShownSentence, Source


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement of others.

    Attributes:
        text: What they say.
        number: Of the sentence of the report that says it; None where it stands in none.
        speaker: Whose assertion it is; empty where the sources state it as a fact.
        sources: Who says it.
    """

    text: str
    number: int | None
    speaker: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ComparedClaim:
    """A claim of an article, and what others say about it.

    Attributes:
        about: What the row is about, such as who wrote the article.
        says: The article's words, or what it tells of itself.
        findings: What others say.
    """

    about: str
    says: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Lead:
    """Opening of the digest.

    Attributes:
        origin: Who published the article, when, and who wrote it.
        behind: What others found about them; None where they found nothing.
        claim: What others found about what it says first of all; None where they found nothing.
    """

    origin: str
    behind: Finding | None
    claim: Finding | None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences of a report on one subject, in the order of the report."""

    title: str
    sentences: tuple[ShownSentence, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """The first screen.

    Attributes:
        lead: None for a topic that is no article.
        rows: The table.
        paragraphs: The report by subject.
        answers: For each question, the numbers of the sentences that answer it, the best first.
    """

    lead: Lead | None
    rows: tuple[ComparedClaim, ...]
    paragraphs: tuple[Paragraph, ...]
    answers: tuple[tuple[int, ...], ...]
