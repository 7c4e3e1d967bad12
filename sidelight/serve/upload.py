"""Articles from uploaded files: a saved web page, or a line of a topics file.

Boilerplate around a page's text is removed in time linear in the page's length.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from sidelight.schemas.topic import Article
from sidelight.text import clean, one_line, unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What they hold is no text of the page, or none of the article.
_RAW = frozenset("script style noscript template textarea".split())
_AROUND = frozenset("svg math iframe object form nav header footer aside head".split())
_BLOCKS = frozenset(
    "p div br li ul ol h1 h2 h3 h4 h5 h6 tr td th table section article main blockquote figure "
    "figcaption pre dt dd".split()
)
_TAG = re.compile(r"(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,30})")
_ATTRIBUTE = re.compile(r"""([a-zA-Z:-]{1,30})\s{0,9}=\s{0,9}["']?([^"'>]{0,2000})""")
_CHARSET = re.compile(rb"charset=[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_HEAD_BYTES = 4096
# The encodings of web pages by Python's names. Python has others that are none of characters, that
# give lone surrogates, or that take a time that grows with the square of the length (`punycode`).
_WEB_ENCODING = re.compile(
    r"ascii|utf-8(-sig)?|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[ru]|mac-(roman|cyrillic)"
    r"|gb2312|gbk|gb18030|big5(hkscs)?|euc_(jp|kr)|shift_jis|iso2022_jp"
)
_PAGE_ADDRESS = re.compile(r"https?://\S{1,1990}")


class WebText(NamedTuple):
    """A web page.

    Attributes:
        title: Its headline.
        url: The address that it gives as its own; empty where it gives none.
        text: Its text, that of its `article` alone where it marks one.
    """

    title: str
    url: str
    text: str


class _Tag(NamedTuple):
    """A tag; what lies before it is text."""

    before: str
    name: str
    is_end: bool
    inside: str


def read_web_page(content: bytes) -> WebText:
    """Return the text of a page, whatever it is."""
    parts: list[str] = []
    article: list[str] = []
    title: list[str] = []
    facts: dict[str, str] = {}
    around, depth, articles, in_title = "", 0, 0, False
    for tag in _tags(_decoded(content)):
        if in_title:
            title.append(tag.before)
        elif not around:
            text = " ".join(tag.before.split("\n")) + ("\n" if tag.name in _BLOCKS else "")
            parts.append(text)
            if articles:
                article.append(text)
        in_title = tag.name == "title" and not tag.is_end and not title
        if tag.name in {"link", "meta"}:
            facts |= {name: value for name, value in _facts(tag) if name not in facts}
        if around:
            depth += (tag.name == around) * (-1 if tag.is_end else 1)
            around = around if depth else ""
        elif tag.name in _AROUND and not tag.is_end and not (tag.name == "header" and articles):
            around, depth = tag.name, 1
        elif tag.name == "article":
            articles = max(0, articles + (-1 if tag.is_end else 1))
    inside = "".join(article)
    return WebText(
        one_line(unescaped(facts.get("title") or "".join(title))),
        facts.get("url", ""),
        _lines(unescaped(inside if inside.strip() else "".join(parts))),
    )


def _tags(page: str) -> Iterator[_Tag]:
    """Yield every tag; a last one without a name holds the text after all others."""
    place = begin = 0
    before: list[str] = []
    while (start := page.find("<", place)) >= 0:
        if page.startswith("<!--", start):
            end = page.find("-->", start)
            before.append(page[begin:start])
            begin = place = end + 3 if end >= 0 else len(page)
            continue
        match = _TAG.match(page, start + 1)
        end = page.find(">", start) if match or page.startswith("<!", start) else start
        if end < 0:
            break
        if match is None:
            if end > start:
                before.append(page[begin:start])
                begin = end + 1
            place = end + 1
            continue
        name, is_end = match["name"].lower(), bool(match["end"])
        before.append(page[begin:start])
        yield _Tag("".join(before), name, is_end, page[match.end() : end])
        before, begin = [], end + 1
        if name in _RAW and not is_end:
            closing = re.compile(f"</{name}", re.IGNORECASE).search(page, begin)
            begin = closing.start() if closing else len(page)
        place = begin
    yield _Tag("".join([*before, page[begin:]]), "", is_end=False, inside="")


def _facts(tag: _Tag) -> Iterator[tuple[str, str]]:
    """Yield what a tag in the head says of the page."""
    found = {name.lower(): value.strip() for name, value in _ATTRIBUTE.findall(tag.inside)}
    address = found.get("href" if tag.name == "link" else "content", "")
    is_own = found.get("rel", "").lower() == "canonical" or found.get("property") == "og:url"
    if is_own and _PAGE_ADDRESS.fullmatch(unescaped(address)):
        yield "url", unescaped(address)
    if found.get("property") == "og:title":
        yield "title", found.get("content", "")


def _decoded(content: bytes) -> str:
    declared = _CHARSET.search(content[:_HEAD_BYTES])
    try:
        name = codecs.lookup(declared[1].decode() if declared else "utf-8").name
    except LookupError:
        name = "utf-8"
    return content.decode(name if _WEB_ENCODING.fullmatch(name) else "utf-8", "replace")


def _lines(text: str) -> str:
    return "\n".join(line for line in clean(text).split("\n") if line)


class NoArticleError(Exception):
    """A file holds no article; the message says why and what to do."""


class Upload(NamedTuple):
    """Article read from a file."""

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
