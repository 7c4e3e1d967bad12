"""The target article of a topic."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import Field

from sidelight.schemas.base import Value


class Article(Value):
    """A news article as the topics file has it.

    Attributes:
        topic_id: The document id of the article, e.g. `msmarco_v2.1_doc_04_420132660`.
        url: Where it was published; may be empty for a pasted article.
        title: Page title.
        headings: Newline-separated headings of the page.
        body: Page text, site chrome included.
    """

    topic_id: str = Field(min_length=1)
    url: str = ""
    title: str = ""
    headings: str = ""
    body: str

    @property
    def host(self) -> str:
        """Return the host name of the article without a leading `www.`."""
        return host_of(self.url)


def host_of(url: str) -> str:
    """Return the host name in a URL without a leading `www.`; empty when there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
