"""Request guards: allowed hosts, tokens, cross-site requests, body sizes, and rate limits.

Articles from uploaded files: a saved web page, or a line of a topics file.

Boilerplate around a page's text is removed in time linear in the page's length.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import codecs
import hmac
import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from sidelight.english.cleaning import shows_date
from sidelight.english.vocabulary import MONTHS
from sidelight.schemas.topic import Article
from sidelight.text import clean, one_line, unescaped

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyGuard:
    """Reads a request's whole body before the app does, within a size and a time.

    A body of more than `max_bytes` gets 413, and so does a head that announces one; a body that
    takes more than `timeout_s` seconds to arrive gets 408.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int, timeout_s: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self._max_bytes:
            await self._refuse_long(receive, send)
            return
        try:
            async with asyncio.timeout(self._timeout_s):
                body = await self._read(receive)
        except TimeoutError:
            await _refuse(408, "The request took too long to arrive.")(scope, receive, send)
            return
        if body is None:
            await self._refuse_long(receive, send)
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, replay, send)

    async def _refuse_long(self, receive: Receive, send: Send) -> None:
        """Answer at once, then drop what still arrives within the time.

        A client that is still sending would otherwise find its connection broken, and no answer.
        """
        answer = _refuse(413, f"The request is longer than {self._max_bytes:,} bytes.")
        await send({"type": "http.response.start", "status": 413, "headers": answer.raw_headers})
        await send({"type": "http.response.body", "body": answer.body, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout_s):
                while (await receive()).get("more_body", False):
                    pass
        await send({"type": "http.response.body", "body": b""})

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body, or None once it is too long."""
        parts, size = [], 0
        while True:
            message = await receive()
            part = message.get("body", b"")
            size += len(part)
            if size > self._max_bytes:
                return None
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)


def guarded(app: ASGIApp, check: Callable[[Scope], JSONResponse | None]) -> ASGIApp:
    """Return an app that refuses requests before their bodies are looked at.

    `check` returns the answer to a request that is refused, None for any other.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        refusal = check(scope) if scope["type"] == "http" else None
        await (refusal or app)(scope, receive, send)

    return answer


def check_origin(scope: Scope) -> JSONResponse | None:
    """Refuse what a page of another site has a browser send; programs that say no origin may send.

    Browsers say in `Sec-Fetch-Site` where a request comes from, whatever name a proxy gives this
    app. Those that do not, because nothing is encrypted, say the page's address in `Origin`.
    """
    if scope["method"] in {"POST", "DELETE"} and _is_of_another_site(Headers(scope=scope)):
        return _refuse(403, "Expected a request from this app's own pages, or from a program.")
    return None


def check_kind(scope: Scope, kinds: Mapping[str, Sequence[str]]) -> JSONResponse | None:
    """Refuse a body whose media type is none of those that `kinds` has for its path."""
    known = kinds.get(scope["path"])
    if scope["method"] == "POST" and known and media_type(Headers(scope=scope)) not in known:
        return _refuse(415, f"Expected {' or '.join(known)} as the Content-Type.")
    return None


def rate_check(per_minute: int) -> Callable[[Scope], JSONResponse | None]:
    """Return a check that refuses (429) what a client submits beyond `per_minute` in any minute."""
    limit, limiter = parse(f"{per_minute}/minute"), MovingWindowRateLimiter(MemoryStorage())

    def check(scope: Scope) -> JSONResponse | None:
        if scope["method"] == "POST" and not limiter.hit(limit, client_of(scope)):
            told = f"At most {per_minute} articles a minute, refused ones included. Wait a minute."
            return _refuse(429, told, {"Retry-After": "60"})
        return None

    return check


def check_token(scope: Scope, token: bytes) -> JSONResponse | None:
    """Ask for a token: as `Authorization: Bearer`, or as the password a browser asks for."""
    if hmac.compare_digest(_shown_token(scope), token):
        return None
    asks = {"WWW-Authenticate": 'Basic realm="sidelight", charset="UTF-8"'}
    return _refuse(401, "The token is missing or wrong.", asks)


def behind_proxy(app: ASGIApp) -> ASGIApp:
    """Return an app that believes a proxy on this machine about where a request came from.

    It does so only if the proxy gives a plain address.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_loopback(client_of(scope)):
            forwarded = _header(scope, b"x-forwarded-for").rpartition(b",")[2].strip()
            try:
                address = ipaddress.ip_address(forwarded.decode("ascii"))
            except ValueError:
                pass
            else:
                scope["client"] = (str(address), 0)
        await app(scope, receive, send)

    return answer


def client_of(scope: Scope) -> str:
    """Return the address a request came from."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def media_type(headers: Headers) -> str:
    """Return the media type of a body, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_of_another_site(headers: Headers) -> bool:
    if site := headers.get("sec-fetch-site"):
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host", "")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _header(scope: Scope, name: bytes) -> bytes:
    found: list[bytes] = [value for key, value in scope["headers"] if key == name]
    return found[-1] if found else b""


def _shown_token(scope: Scope) -> bytes:
    kind, _, value = _header(scope, b"authorization").partition(b" ")
    if kind.lower() != b"basic":
        return value.strip() if kind.lower() == b"bearer" else b""
    try:
        return base64.b64decode(value, validate=True).partition(b":")[2]
    except binascii.Error:
        return b""


def _refuse(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(
        {"detail": message}, status, headers={"Connection": "close"} | dict(headers or {})
    )


# What they hold is no text of the page, or none of the article.
_RAW = frozenset("script style noscript template textarea".split())
_AROUND = frozenset("svg math iframe object form nav header footer aside head".split())
_BLOCKS = frozenset(
    "p div br li ul ol h1 h2 h3 h4 h5 h6 tr td th table section article main blockquote figure "
    "figcaption pre dt dd".split()
)
_TAG = re.compile(r"(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,30})")
# The source of a page begins with a tag, or every few lines of it end a paragraph or the like.
_BEGINS_AS_PAGE = re.compile(r"\s*<(?:[a-z][a-z0-9]{0,30}[\s/>]|[!?])", re.IGNORECASE)
_BLOCK_END = re.compile(rf"</(?:{'|'.join(sorted(_BLOCKS))})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""([a-zA-Z:-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]{0,2000})|'([^']{0,2000})|([^\s"'>]{1,2000}))"""
)
_CHARSET = re.compile(rb"charset=[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_HEAD_BYTES = 4096
_MOST_PARTS = 4  # of an article: what is shorter than such a part of the longest is a teaser
# The encodings of web pages by Python's names. Python has others that are none of characters, that
# give lone surrogates, or that take a time that grows with the square of the length (`punycode`).
_WEB_ENCODING = re.compile(
    r"ascii|utf-8(-sig)?|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[ru]|mac-(roman|cyrillic)"
    r"|gb2312|gbk|gb18030|big5(hkscs)?|euc_(jp|kr)|shift_jis|iso2022_jp"
)
# What browsers write at the top of a page that they save.
_SAVED_FROM = re.compile(
    r"<!-- saved from url=\(\d{1,9}\)(https?://\S{1,1990}) -->"
    r"|<!--\s{1,9}Page saved with SingleFile\s{1,9}url: (https?://\S{1,1990})"
)
_PROPERTIES = {
    "og:title": "title",
    "og:site_name": "site",
    "article:published_time": "published",
}
_PAGE_ADDRESS = re.compile(r"https?://\S{1,1990}")


class Upload(NamedTuple):
    """Article read from a file.

    `title` is its headline, in web pages perhaps followed by the name of the site. `url` is the
    address that it gives as its own, or from which a browser saved it; else empty. `text`, in a web
    page that marks an `article`, is that of the article alone, without the teasers of others.
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


def read_web_page(content: bytes) -> Upload:
    """Return the text of a page, whatever it is."""
    parts: list[str] = []
    found: list[list[str]] = []
    title: list[str] = []
    facts: dict[str, str] = {}
    around, depth, articles, in_title = "", 0, 0, False
    page = _decoded(content)
    for tag in _tags(page):
        if in_title:
            title.append(tag.before)
        elif not around:
            text = " ".join(tag.before.split("\n")) + ("\n" if tag.name in _BLOCKS else "")
            parts.append(text)
            if articles:
                found[-1].append(text)
        in_title = tag.name == "title" and not tag.is_end and not title
        if tag.name in {"link", "meta"}:
            facts |= {name: value for name, value in _facts(tag) if name not in facts}
        if around:
            depth += (tag.name == around) * (-1 if tag.is_end else 1)
            around = around if depth else ""
        elif tag.name in _AROUND and not tag.is_end and not (tag.name == "header" and articles):
            around, depth = tag.name, 1
        elif tag.name == "article":
            if not articles and not tag.is_end:
                found.append([])
            articles = max(0, articles + (-1 if tag.is_end else 1))
    texts = ["".join(one) for one in found]
    least = max(map(len, texts), default=0) / _MOST_PARTS
    inside = "".join(one for one in texts if len(one) >= least)
    text = unescaped(inside if inside.strip() else "".join(parts))
    lines = [line for line in clean(text).split("\n") if line]
    return Upload(
        _title("".join(title), facts.get("title", ""), facts.get("site", "")),
        facts.get("url") or "".join((_SAVED_FROM.findall(page[:_HEAD_BYTES]) or [""])[0]),
        "\n".join([*_dateline(facts.get("published", ""), lines), *lines]),
    )


def _dateline(published: str, lines: Sequence[str]) -> list[str]:
    """Return the day that a page gives as its own in its head, where its text shows none."""
    day = re.match(r"(\d{4})-(\d\d)-(\d\d)(?!\d)", published)
    if day is None or not 1 <= int(day[2]) <= len(MONTHS):
        return []
    return [] if shows_date(lines) else [f"{int(day[3])} {MONTHS[int(day[2]) - 1]} {day[1]}"]


def _title(whole: str, headline: str, site: str) -> str:
    """Return the headline of a page, and the name of its site behind it where the page says it."""
    whole, headline, site = (one_line(unescaped(one)) for one in (whole, headline, site))
    title = whole if whole.startswith(headline) else headline
    return title if not site or site in title else f"{title} | {site}"


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
    found = {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(tag.inside)}
    address = found.get("href" if tag.name == "link" else "content", "").strip()
    is_own = found.get("rel", "").lower() == "canonical" or found.get("property") == "og:url"
    if is_own and _PAGE_ADDRESS.fullmatch(unescaped(address)):
        yield "url", unescaped(address)
    if name := _PROPERTIES.get(found.get("property", "")):
        yield name, found.get("content", "")


def _decoded(content: bytes) -> str:
    is_marked = content.startswith(codecs.BOM_UTF8)  # which counts before what a page declares
    declared = None if is_marked else _CHARSET.search(content[:_HEAD_BYTES])
    try:
        name = codecs.lookup(declared[1].decode() if declared else "utf-8").name
    except LookupError:
        name = "utf-8"
    return content.decode(name if _WEB_ENCODING.fullmatch(name) else "utf-8", "replace")


class NoArticleError(Exception):
    """A file holds no article; the message says why and what to do."""


_LOOKED_AT = 10_000  # letters, of which none is 0 in a text
_UNREADABLE = "\ufffd"
_IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")  # whatever the name of the file says


def read_upload(kind: str, content: bytes) -> Upload:
    """Return the article in a file; if its media type `kind` is not in `READERS`, read it as text.

    Raises:
        NoArticleError: It holds none.
    """
    if content.startswith(b"%PDF-"):
        raise NoArticleError("This is a PDF. Save its text as a .txt file, and name that.")
    text = _plain(content) if kind not in READERS else ""
    if content.startswith(_IMAGES) or "\0" in text[:_LOOKED_AT]:
        raise NoArticleError(
            "This is not text; it may be an image or a word processor's document. Save its "
            "text as a .txt file, and name that."
        )
    return READERS[kind](content) if kind in READERS else Upload("", "", text)


def _plain(content: bytes) -> str:
    """Return a text in UTF-8, or else in UTF-16 or Windows-1252 as its bytes show."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = content.decode("utf-16" if wide else "utf-8-sig", "replace")
    is_other = {one for one in text if not one.isascii()} == {_UNREADABLE}
    return content.decode("cp1252", "replace") if is_other else text


_ENDINGS = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), "text/html"),
    **dict.fromkeys((".json", ".jsonl"), "application/jsonl"),
}


def kind_of(name: str, content: bytes) -> str:
    """Return the media type of a file by its name, or of the source of a web page by its tags."""
    if known := _ENDINGS.get(PurePath(name).suffix.lower()):
        return known
    text = _plain(content)
    ends, lines = len(_BLOCK_END.findall(text)), sum(map(bool, text.split("\n")))
    is_page = _BEGINS_AS_PAGE.match(text) or (ends > 1 and 3 * ends >= lines)
    return "text/html" if is_page else "text/plain"


def read_pasted(text: str) -> Upload:
    """Return the article in a text that was pasted, which may be the source of a web page."""
    content = text.encode("utf-8-sig", "ignore")
    return read_upload(kind_of("", content), content)


def _read_line(content: bytes) -> Upload:
    lines = [line for line in content.splitlines() if line.strip()]
    if len(lines) != 1:
        raise NoArticleError(
            f"The file holds {len(lines)} lines; expected one line, one article. "
            "`sidelight run` takes files of many articles."
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
    "text/html": read_web_page,
    "application/jsonl": _read_line,
}
"""By media type; no text/plain: a page of another site can have a browser send that unasked."""
