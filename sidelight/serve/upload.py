"""An article out of a file: a web page as a browser saves it, or a line of a topics file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from sidelight.schemas.article import Article
from sidelight.serve.web_text import read_web_page
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable


class NoArticleError(Exception):
    """A file holds no article; the message says why and what to do."""


class Upload(NamedTuple):
    """What a file says."""

    title: str
    url: str
    text: str


def read_upload(kind: str, content: bytes) -> Upload:
    """Return the article in a file.

    Args:
        kind: Its media type, one of `READERS`.
        content: The file.

    Raises:
        NoArticleError: It holds none.
    """
    return READERS[kind](content)


def _read_html(content: bytes) -> Upload:
    page = read_web_page(content)
    return Upload(page.title, page.url, page.text)


def _read_line(content: bytes) -> Upload:
    lines = [line for line in content.splitlines() if line.strip()]
    if len(lines) != 1:
        raise NoArticleError(
            f"The file holds {len(lines)} lines; expected one, which is an article. "
            "`sidelight run` takes files of many."
        )
    try:
        article = _Line.model_validate_json(lines[0])
    except ValidationError:
        raise NoArticleError(
            "The file holds no article: expected a JSON object with url, title and body, as a "
            "topics file has."
        ) from None
    return Upload(one_line(article.title), article.url.strip(), article.body)


class _Line(Article, extra="ignore"):
    """A topic, whose id does not matter here."""

    topic_id: str = "article"


READERS: dict[str, Callable[[bytes], Upload]] = {
    "text/html": _read_html,
    "application/jsonl": _read_line,
}
"""By media type."""
