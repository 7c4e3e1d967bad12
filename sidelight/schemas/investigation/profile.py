"""What a reader can tell about an article without leaving the page."""

from __future__ import annotations

from sidelight.schemas.base import Value


class Cut(Value):
    """Something taken out of an article body before anyone reads it.

    Attributes:
        reason: Why, e.g. `reader comments`.
        words: How many words went.
        opening: The first words, so that a person can check.
    """

    reason: str
    words: int
    opening: str


class Claim(Value):
    """A checkable sentence of the article.

    Attributes:
        text: The sentence as it stands.
        figures: Numbers in it.
        names: People, organisations and places in it.
    """

    text: str
    figures: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class ArticleFacts(Value):
    """What an article says of itself and on its subject, without its prose.

    Attributes:
        title: The headline, without the outlet's name; the first sentence where there is none.
        publisher: Name of the outlet, or its host name when the page does not say; empty for a
            pasted article without an address.
        host: Host name of the outlet.
        authors: Names in the byline; empty when there is none.
        byline: What the page says above the text of who wrote it and when, as it stands there;
            empty where nobody read it off.
        people: People named in the article, most mentioned first, authors excluded.
        organisations: Organisations named in the article, most mentioned first.
        studies: Names that the article ties a study, report, survey or the like to.
        dates: Dates as written, in order of appearance.
        subject: The few words that say what the article is about.
        keywords: Content words of the article, most telling first.
        claims: Checkable sentences, most central first.
        cuts: What was taken out of the body: site chrome, comments.
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
    cuts: tuple[Cut, ...] = ()


class ArticleProfile(ArticleFacts):
    """The article, taken apart.

    Attributes:
        body: The prose that is left when site chrome and comments are gone.
        asked: The narrative, where there is one in place of an article.
    """

    body: str
    asked: str = ""

    @property
    def outlet(self) -> tuple[str, ...]:
        """What the outlet is called: its name and its host, as far as they are known."""
        return tuple(filter(None, (self.publisher, self.host)))

    def facts(self) -> ArticleFacts:
        """Return everything but the prose."""
        return ArticleFacts.model_validate(self.model_dump(exclude={"body", "asked"}))
