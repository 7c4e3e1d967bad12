"""Angles, the questions that plans, evidence and reports share, and the profile of an article."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field

from sidelight.schemas.base import Value


class Aspect(StrEnum):
    """The sides of trustworthiness that assessors look at (DRAGUN resources paper, section 3.1)."""

    PUBLISHER = "publisher"
    AUTHOR = "author"
    CLAIM = "claim"
    FIGURE = "figure"
    SOURCE = "source"
    CONTEXT = "context"
    VIEWPOINT = "viewpoint"


class Angle(Value):
    """One thing worth finding out about an article.

    Attributes:
        angle_id: Unique within a topic.
        question: What a careful reader would ask; a candidate for the questions of a run.
        must_mention: Evidence has to name at least one of these; empty when anything on the
            subject will do.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
        told: Claims that were found before it was asked and answer it, the closest first.
    """

    angle_id: str
    aspect: Aspect
    question: str
    query: str
    must_mention: tuple[str, ...] = ()
    weight: float = Field(gt=0, le=4)
    told: tuple[str, ...] = ()


class PlannedQuery(Value):
    """A search for an angle; `query_id` is unique within a topic; rounds are counted from 1."""

    query_id: str
    round_number: int = Field(ge=1)
    angle_id: str
    text: str

    @classmethod
    def of(cls, angle: Angle, round_number: int, text: str) -> Self:
        """Return the search that a round makes for an angle; a round makes one for each."""
        return cls(
            query_id=f"{round_number}.{angle.angle_id}",
            round_number=round_number,
            angle_id=angle.angle_id,
            text=text,
        )


class Plan(Value):
    """Plan of a round: new angles, and searches for new and open angles."""

    angles: tuple[Angle, ...]
    queries: tuple[PlannedQuery, ...]


class Coverage(Value):
    """Coverage of the angles by the evidence.

    Attributes:
        covered: Angles that evidence speaks to, sorted.
        weight: Sum over angles of weight times the chance that evidence speaks to it.
        by_angle: For each angle, the chance that evidence speaks to it.
        score: That sum as a share of the weight of all angles, in [0, 1].
        go_on: Whether another round is expected to raise it.
        reason: Why, for the trace.
    """

    covered: tuple[str, ...]
    weight: float
    by_angle: dict[str, float] = Field(default_factory=dict)
    score: float
    go_on: bool
    reason: str


class Cut(Value):
    """A passage removed from an article body before anyone reads it.

    `reason` says why, e.g. `reader comments`; `words` is its length, `opening` its first words.
    """

    reason: str
    words: int
    opening: str


class Claim(Value):
    """A checkable sentence of the article; `names` are people, organisations and places in it."""

    text: str
    figures: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


_FEW_CLAIMS = 3  # a short notice of news, without any name, has as many


class ArticleFacts(Value):
    """Facts that an article states of itself and its subject, without its prose.

    Attributes:
        title: The headline, without the outlet's name; the first sentence where there is none.
        publisher: Name of the outlet, or its host name when the page does not say; empty for a
            pasted article without an address.
        authors: Names in the byline; empty when there is none.
        byline: What the page says above the text of who wrote it and when, as it stands there;
            empty where nobody read it off.
        people: Most mentioned first, authors excluded.
        organisations: Most mentioned first.
        studies: Names that the article ties a study, report, survey or the like to.
        dates: Dates as written, in order of appearance.
        subject: The few words that say what the article is about.
        keywords: Content words of the article, most telling first.
        claims: Checkable sentences, most central first.
        prompts: Sentences that ask something or tell a reader to do something: they state nothing.
    """

    title: str = ""
    publisher: str
    host: str
    authors: tuple[str, ...] = ()
    byline: str = ""
    people: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    studies: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    subject: str
    keywords: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    prompts: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()

    @property
    def names_nothing(self) -> bool:
        """Whether it names nobody and states next to nothing, as recipes and instructions do.

        A single word may be a verb that opens a sentence: "Bake", "Prick".
        """
        names = (*self.people, *self.organisations, *(n for one in self.claims for n in one.names))
        return not any(" " in name for name in names) and len(self.claims) < _FEW_CLAIMS


class ArticleProfile(ArticleFacts):
    """The article, taken apart.

    Attributes:
        body: The prose that is left when site chrome and comments are gone.
        asked: The narrative, where there is one in place of an article.
        companies: Who publishes or owns the outlet, as the foot of the page names them.
        written: The date at its top, or the one in its address.
    """

    body: str
    asked: str = ""
    companies: tuple[str, ...] = ()
    written: str = ""

    @property
    def outlet(self) -> tuple[str, ...]:
        """Name and host of the outlet, and the companies behind it, as far as they are known."""
        return tuple(filter(None, (self.publisher, self.host, *self.companies)))

    @property
    def named(self) -> tuple[str, ...]:
        """Names of the outlet, the authors, and the sources that the article leans on."""
        behind = (self.publisher, *self.companies, *self.authors)
        names = (*behind, *self.people, *self.organisations, *self.studies)
        return tuple(filter(None, names))

    def facts(self) -> ArticleFacts:
        """Return everything but the prose."""
        own = {"body", "asked", "companies", "written"}
        return ArticleFacts.model_validate(self.model_dump(exclude=own))
