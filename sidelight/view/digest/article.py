"""Self-description of an article, from the run's profile or read anew from the page.

Digest values: a lead, a table, paragraphs, and questions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from sidelight.english.cleaning import clean_article, find_authors, find_publisher
from sidelight.english.names import host_label
from sidelight.generation.pages import page_date, publishers
from sidelight.text import clean, sentences, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.trace import Trace
    from sidelight.schemas.segment import Segment
    from sidelight.schemas.topic import Article
    from sidelight.view.report import ShownSentence, Source

_MIN_NAME = 3
_MIN_SITE = 6  # shorter names of sites are words that any text may hold
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Told:
    """An article, taken apart.

    Attributes:
        title: Its headline.
        publisher: Who published it; empty where nobody knows.
        site: What its host is called, in letters and digits alone.
        authors: Who wrote it; none where nobody is named.
        date: As the page has it; empty where it bears none.
        paragraphs: Its prose.
        n_left_out: Words of menus, links and comments that are not in it.
    """

    title: str
    publisher: str
    site: str
    authors: tuple[str, ...]
    date: str
    paragraphs: tuple[str, ...]
    n_left_out: int

    @classmethod
    def of(cls, article: Article, trace: Trace, known: Iterable[Segment] = ()) -> Told:
        """Return the facts of an article; the run's profile takes precedence over rules.

        Args:
            article: The article.
            trace: What the run did.
            known: Segments, of which some may be from the same site and name it.
        """
        prose, cuts = clean_article(article.body)
        profile = trace.profile
        publisher = (profile and profile.publisher) or find_publisher(article)
        if publisher == article.host:
            publisher = publishers(known).get(article.host, publisher)
        return cls(
            title=(profile and profile.title)
            or _headline(article.title, article.host)
            or article.topic_id,
            publisher=publisher,
            site="".join(tokens(host_label(article.host))),
            authors=(profile and profile.authors) or find_authors(article),
            date=page_date(article.url, article.body),
            paragraphs=tuple(line for line in prose.split("\n") if line),
            n_left_out=sum(cut.words for cut in cuts),
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the prose."""
        return tuple(one for paragraph in self.paragraphs for one in sentences(paragraph))

    def names_publisher(self, text: str) -> int | None:
        """Return where a text names the publisher or its site, if it does."""
        place = _found(text, [self.publisher])
        if place is None and len(self.site) >= _MIN_SITE:
            words = list(_WORD.finditer(text))
            letters = "".join(match.group().casefold() for match in words)
            before = accumulate((len(one.group()) for one in words), initial=0)
            begins = dict(zip(before, words, strict=False))
            match = begins.get(letters.find(self.site))
            place = match.start() if match else None
        return place

    def names_author(self, text: str) -> int | None:
        """Return where a text names an author, if it does; the last word of a name is enough."""
        return _found(text, [name.split()[-1] for name in self.authors if name.split()])


def angles_of(trace: Trace) -> Mapping[str, Angle]:
    """Return everything that an investigation asked, by id."""
    angles = {angle.angle_id: angle for angle in trace.rubric or ()}
    for round_ in trace.rounds.values():
        if round_.plan is not None:
            angles |= {angle.angle_id: angle for angle in round_.plan.angles}
    return angles


def _headline(title: str, host: str) -> str:
    """Return a title without the outlet's name at its end."""
    head, dash, tail = clean(title).rpartition(" - ") if " - " in title else ("", "", "")
    if not dash:
        head, dash, tail = clean(title).rpartition(" | ")
    label = "".join(tokens(host_label(host)))
    is_outlet = any(len(word) > _MIN_NAME and word in label for word in tokens(tail))
    return head if head and is_outlet and len(tail.split()) < _MIN_SITE else title


def _found(text: str, names: list[str]) -> int | None:
    places = [
        match.start()
        for name in names
        if len(name) >= _MIN_NAME and (match := re.search(rf"\b{re.escape(name)}\b", text))
    ]
    return min(places, default=None)


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
