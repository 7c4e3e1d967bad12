"""What an article tells of itself, whether or not the run kept a record of reading it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.generation.reading.byline import find_authors, find_publisher
from sidelight.generation.reading.cleaning import clean_article
from sidelight.text import sentences
from sidelight.view.digest.origin import page_date

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.article import Article
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.trace import Trace

_MIN_NAME = 3


@dataclass(frozen=True, slots=True)
class Told:
    """An article, taken apart.

    Attributes:
        title: Its headline.
        publisher: Who published it; empty where nobody knows.
        authors: Who wrote it; none where nobody is named.
        date: As the page has it; empty where it bears none.
        paragraphs: Its prose.
        n_left_out: Words of menus, links and comments that are not in it.
    """

    title: str
    publisher: str
    authors: tuple[str, ...]
    date: str
    paragraphs: tuple[str, ...]
    n_left_out: int

    @classmethod
    def of(cls, article: Article, trace: Trace) -> Told:
        """Return what an article tells; what a model read off it goes before what rules find."""
        prose, cuts = clean_article(article.body)
        profile = trace.profile
        return cls(
            title=(profile and profile.title) or article.title or article.topic_id,
            publisher=(profile and profile.publisher) or find_publisher(article),
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
        """Return where a text names the publisher, if it does."""
        return _found(text, [self.publisher])

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


def _found(text: str, names: list[str]) -> int | None:
    places = [
        match.start()
        for name in names
        if len(name) >= _MIN_NAME and (match := re.search(rf"\b{re.escape(name)}\b", text))
    ]
    return min(places, default=None)
