"""Web application: the form, an API to submit and follow investigations, and the finished pages.

Submitted text that is no article is refused with advice.

HTTP server around the app, which closes idle connections and limits their number.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Annotated, Any, ClassVar

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from pydantic import Field, StringConstraints
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from sidelight.english.cleaning import find_masthead
from sidelight.schemas.base import Value, fault
from sidelight.schemas.topic import Article
from sidelight.serve import guards
from sidelight.serve.desk import Desk, FoundPage, Job, State
from sidelight.text import clean, count_words, sentences
from sidelight.versions import VERSION
from sidelight.view.page import csp_hash

MAX_TITLE, MAX_URL, MAX_TEXT = 500, 2_000, 200_000
MAX_PASTED = 1_000_000  # characters: the source of a web page has many times its text
MIN_WORDS = 50
_MIN_SENTENCES = 3
_MIN_LETTERS = 0.6  # of what is no white space; prose has more than nine in ten
_PASTED_ADDRESS = re.compile(r"(?:https?://|www\.)\S{1,2000}", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")


def why_no_article(text: str) -> str:
    """Return why a text cannot be investigated, and what to do; empty where it can be."""
    if len(text) > MAX_TEXT:
        return f"The text has over {MAX_TEXT:,} characters. Leave out what is not the article."
    text = clean(text)
    words, inked = count_words(text), "".join(text.split())
    if _PASTED_ADDRESS.fullmatch(text.strip()):
        return (
            "That is an address, and nothing is fetched from addresses. Open the page, and give "
            "the text of the article."
        )
    letters = sum(character.isalpha() for character in inked)
    if letters < _MIN_LETTERS * len(inked):
        return "That looks like data or code. Give the text of a news article."
    if words < MIN_WORDS:
        return (
            f"The text has {words} word{'s' if words != 1 else ''}; an article has {MIN_WORDS} or "
            "more. Give the whole text of the article."
        )
    whole = sum(_ENDS.search(one) is not None for one in sentences(text))
    if whole < _MIN_SENTENCES:
        return (
            "The text has almost no complete sentences, like a menu or a list. Give the text of "
            "the article itself."
        )
    return ""


_FOLDER = Path(__file__).parent / "site"
_PARTS = re.compile(r"<(?P<tag>style|script)>(?P<text>.*?)</(?P=tag)>", re.DOTALL)
ICON = (_FOLDER / "icon.svg").read_bytes()


def page_headers(policy: str = "") -> dict[str, str]:
    """Return the headers of a page, which may bring a policy of its own."""
    headers = {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    return headers | ({"Content-Security-Policy": policy} if policy else {})


@cache
def _page(name: str) -> tuple[str, dict[str, str]]:
    """Return a page with its style and scripts put in, and headers that allow them alone."""
    text = (_FOLDER / name).read_text(encoding="utf-8")
    for part in ("style.css", "shared.js"):
        text = text.replace(f"/* {part} */", (_FOLDER / part).read_text(encoding="utf-8"))
    found = {match["tag"]: match["text"] for match in _PARTS.finditer(text)}
    policy = (
        f"default-src 'none'; style-src '{csp_hash(found['style'])}'; "
        f"script-src '{csp_hash(found['script'])}'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return text, page_headers(policy)


ADDRESS = re.compile(r"https?://\S+")
AN_ADDRESS = "expected an address such as https://news.example/a"


def pasted_article(found: guards.Upload, title: str = "", url: str = "") -> Article:
    """Return an article to investigate; a title and an address that are given go before its own.

    Without a title it has the headline above its text.
    """
    title = title.strip() or found.title.strip() or find_masthead(found.text).headline
    own = found.url if ADDRESS.fullmatch(found.url) and len(found.url) <= MAX_URL else ""
    return Article(topic_id="article", url=url or own, title=title[:MAX_TITLE], body=found.text)


class Submission(Value):
    """An article to investigate."""

    title: str = Field("", max_length=MAX_TITLE, description="Headline.")
    url: Annotated[
        str,
        StringConstraints(
            strip_whitespace=True, max_length=MAX_URL, pattern=rf"^({ADDRESS.pattern})?$"
        ),
    ] = Field("", description="Where it was published; nothing is fetched from there.")
    text: str = Field(max_length=MAX_PASTED, description="Its text, or the source of its page.")


class Progress(Value):
    """How far an investigation is.

    Attributes:
        id: Of the investigation.
        state: `waiting`, `running`, `done`, `failed` or `cancelled`.
        ahead: Investigations that come first, while it waits.
        title: Headline of the article.
        steps: Steps begun so far.
        queries: What was searched for so far.
        found: Pages that were taken as evidence so far.
        sentences: Of the report, those that stood the check.
        message: Why it failed.
        page: Where its page is, when it is done.
        address: Where people watch it.
    """

    id: str
    state: State
    ahead: int = 0
    title: str = ""
    steps: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    found: tuple[FoundPage, ...] = ()
    sentences: tuple[str, ...] = ()
    message: str = ""
    page: str = ""
    address: str = ""


class Fault(Value):
    """What is wrong with one field of a request."""

    loc: tuple[str, ...]
    msg: str
    type: str


class Refusal(Value):
    """Why a request was refused."""

    detail: str | tuple[Fault, ...]


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how answers to requests that are refused are described."""
    return {
        status: {"model": Refusal, "description": _REFUSED[status]} for status in sorted(statuses)
    }


_REFUSED = {
    400: "The host is not one of this app's names.",
    401: "The token is missing or wrong.",
    403: "A page of another site sent the request.",
    404: "There is no such investigation, or it is not done.",
    408: "The request took too long to arrive.",
    413: "The request is too long.",
    415: "This address does not accept the Content-Type.",
    422: "The content is not an article.",
    429: "Too many requests; `Retry-After` says when to try again.",
}


MAX_BODY_BYTES = 2_000_000
STREAMS_OF_A_CLIENT = 20
BODY_TIMEOUT_S = 10.0

_RETRY_S = {"Retry-After": "60"}


_FIELDS = {"body", *Submission.model_fields}
_KINDS = {"/investigations": ("application/json",), "/investigations/file": tuple(guards.READERS)}
_NO_ARTICLE = "Expected a JSON object with title, url and text."


def make_app(desk: Desk, *, hosts: Sequence[str], per_minute: int, token: str = "") -> FastAPI:
    """Return the app.

    It may be addressed under the names in `hosts` only, so that a page elsewhere cannot reach it
    under a name of its own. One client may submit `per_minute` articles in a minute. Every request
    must show `token`, which is empty where everybody on this machine may ask.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with desk.at_work():
            yield

    # The documentation pages that FastAPI offers load scripts from elsewhere.
    app = FastAPI(
        title="sidelight", version=VERSION, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    app.add_exception_handler(RequestValidationError, _refuse_invalid)
    app.add_exception_handler(404, _not_found)
    # The last one added comes first.
    app.add_middleware(guards.BodyGuard, max_bytes=MAX_BODY_BYTES, timeout_s=BODY_TIMEOUT_S)
    app.add_middleware(guards.guarded, check=guards.rate_check(per_minute))
    # What no page or program of the user's sent does not count against the user's rate.
    app.add_middleware(guards.guarded, check=partial(guards.check_kind, kinds=_KINDS))
    app.add_middleware(guards.guarded, check=guards.check_origin)
    if token:
        check_token = partial(guards.check_token, token=token.encode())
        app.add_middleware(guards.guarded, check=check_token)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(guards.behind_proxy)
    refused = (400, 408, 413)
    _add_routes(app, _Routes(desk), (*refused, 401) if token else refused)
    return app


def _add_routes(app: FastAPI, routes: _Routes, always: Sequence[int]) -> None:
    """Add what the app answers; `always` are the statuses with which it may refuse any request."""
    one = "/investigations/{job_id}"
    shown: dict[str, Any] = {"include_in_schema": False, "response_class": HTMLResponse}
    app.get("/", **shown)(routes.start)
    app.get("/jobs/{job_id}", **shown)(routes.watch)
    for name in ("/icon.svg", "/favicon.ico"):
        app.get(name, include_in_schema=False)(routes.icon)
    taken: dict[str, Any] = {"status_code": 202, "responses": refusals(403, 415, 422, 429, *always)}
    app.post("/investigations", **taken)(routes.submit)
    app.post(
        "/investigations/file",
        **taken,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {kind: {"schema": {"type": "string"}} for kind in guards.READERS},
            }
        },
    )(routes.submit_file)
    app.get(one, responses=refusals(404, *always))(routes.show)
    app.delete(one, responses=refusals(403, 404, *always))(routes.cancel)
    app.get(
        f"{one}/events",
        response_class=EventSourceResponse,
        responses=refusals(404, 429, *always)
        | {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    )(routes.follow)
    app.get(f"{one}/page", response_class=HTMLResponse, responses=refusals(404, *always))(
        routes.page
    )


async def _upload(read: Callable[..., guards.Upload], *given: Any) -> guards.Upload:
    """Return what a reader of articles reads, in a thread; 422 where that is none."""
    try:
        return await asyncio.to_thread(read, *given)
    except guards.NoArticleError as error:
        raise HTTPException(422, str(error)) from None


class _Routes:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._streams: Counter[str] = Counter()

    async def start(self) -> HTMLResponse:
        text, headers = _page("start.html")
        return HTMLResponse(text, headers=headers)

    async def watch(self, job_id: str) -> HTMLResponse:
        job = self._desk.find(job_id)
        title = job.title if job else "No such investigation"
        text, headers = _page("job.html")
        text = text.replace("TITLE", escape(title))
        return HTMLResponse(text, 200 if job else 404, headers=headers)

    async def icon(self) -> Response:
        return Response(
            ICON, media_type="image/svg+xml", headers={"X-Content-Type-Options": "nosniff"}
        )

    async def submit(self, submission: Submission) -> Progress:
        """Have an article investigated."""
        found = await _upload(guards.read_pasted, submission.text)
        return self._take(found, submission.title, submission.url)

    async def submit_file(self, request: Request) -> Progress:
        """Have the article in a file investigated: a saved web page, or a line of a topics file."""
        kind, content = guards.media_type(request.headers), await request.body()
        return self._take(await _upload(guards.read_upload, kind, content))

    def _take(self, found: guards.Upload, title: str = "", url: str = "") -> Progress:
        if why := why_no_article(found.text):
            raise HTTPException(422, why)
        try:
            return self._progress(self._desk.submit(pasted_article(found, title, url)))
        except asyncio.QueueFull:
            raise HTTPException(429, "The queue is full.", _RETRY_S) from None

    async def show(self, job_id: str) -> Progress:
        """Say how far an investigation is."""
        return self._progress(self._find(job_id))

    async def cancel(self, job_id: str) -> Progress:
        """End an investigation that waits or runs; one that has ended stays as it is."""
        job = self._find(job_id)
        self._desk.cancel(job)
        return self._progress(job)

    async def follow(self, job_id: str, request: Request) -> EventSourceResponse:
        """Send the progress of an investigation as server-sent events until it has ended."""
        job, client = self._find(job_id), guards.client_of(request.scope)
        if self._streams[client] >= STREAMS_OF_A_CLIENT:
            raise HTTPException(429, "Too many event streams at once.", _RETRY_S)

        async def events() -> AsyncIterator[ServerSentEvent]:
            self._streams[client] += 1
            try:
                ended = False
                while not ended:
                    changed, ended = job.changed, job.ended
                    yield ServerSentEvent(self._progress(job).model_dump_json(), event="progress")
                    if not ended:
                        await changed.wait()
            finally:
                self._streams[client] -= 1
                self._streams += Counter()  # drops who has none

        return EventSourceResponse(events())

    async def page(self, job_id: str) -> FileResponse:
        """Return the finished page."""
        job = self._find(job_id)
        if job.state != "done":
            raise HTTPException(404, "The investigation is not done.")
        # The page brings its own policy, which names its script and style.
        return FileResponse(self._desk.page_of(job), media_type="text/html", headers=page_headers())

    def _find(self, job_id: str) -> Job:
        job = self._desk.find(job_id)
        if job is None:
            raise HTTPException(404, "There is no such investigation, or it was removed since.")
        return job

    def _progress(self, job: Job) -> Progress:
        return Progress(
            id=job.job_id,
            state=job.state,
            ahead=self._desk.ahead_of(job),
            title=job.title,
            steps=tuple(job.steps),
            queries=tuple(job.news.queries),
            found=tuple(job.news.found),
            sentences=tuple(job.news.sentences),
            message=job.message,
            page=f"/investigations/{job.job_id}/page" if job.state == "done" else "",
            address=f"/jobs/{job.job_id}",
        )


def _said(one: Any) -> str:
    if not _FIELDS.issuperset(one["loc"]):
        return _NO_ARTICLE
    # The address alone has a pattern, which says little to people.
    is_address = one["type"] == "string_pattern_mismatch"
    return f"url: {AN_ADDRESS}" if is_address else fault(one, with_value=False)


async def _refuse_invalid(_: Request, error: Exception) -> JSONResponse:
    """Say what is wrong with a body without a word of it: not all that comes can be sent back."""
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    return JSONResponse(
        {
            "detail": [
                {
                    "loc": [part for part in one["loc"] if part in _FIELDS],
                    "msg": _said(one),
                    "type": one["type"],
                }
                for one in found[:10]
            ]
        },
        422,
    )


async def _not_found(request: Request, error: Exception) -> Response:
    """Say what is not there: to a browser that opens it as a page, else as JSON."""
    detail = error.detail if isinstance(error, HTTPException) else ""
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"detail": detail}, 404)
    page = f'<!doctype html><title>Not found</title><p>{escape(detail)} <a href="/">sidelight</a>'
    return HTMLResponse(page, 404, headers=page_headers())


_SILENCE_S = 10.0
_KEEP_ALIVE_S = 5
_CONNECTIONS = 1000
_CONNECTIONS_OF_A_CLIENT = 200
_STOP_S = 5


class _ImpatientProtocol(H11Protocol):
    """Closes a connection whose next request head does not arrive in time, or a client's 201st."""

    _connections: ClassVar[Counter[str]] = Counter()
    _silence: asyncio.TimerHandle | None = None
    _peer = ""
    _refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        self._peer = str(peer[0]) if isinstance(peer, tuple) else ""
        if self._connections[self._peer] >= _CONNECTIONS_OF_A_CLIENT:
            # Before it counts among the connections of all, which thousands at once would exhaust.
            self._refused = True
            transport.abort()
            return
        super().connection_made(transport)
        self._connections[self._peer] += 1
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._refused:
            return
        super().connection_lost(exc)
        self._connections[self._peer] -= 1
        if not self._connections[self._peer]:
            del self._connections[self._peer]
        if self._silence is not None:
            self._silence.cancel()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    @property
    def _is_waiting(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        """Begin to wait for a request, however few of its bytes come at a time, or stop waiting."""
        if not self._is_waiting and self._silence is not None:
            self._silence.cancel()
            self._silence = None
        elif self._is_waiting and self._silence is None:
            self._silence = self.loop.call_later(_SILENCE_S, self._end_silence)

    def _end_silence(self) -> None:
        self._silence = None
        if self._is_waiting:
            self.transport.close()


def make_config(app: FastAPI, host: str, port: int) -> uvicorn.Config:
    """Return how to serve; requests are logged by address and path, without their content."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=_ImpatientProtocol,
        ws="none",
        limit_concurrency=_CONNECTIONS,
        # It would log and count whatever a client writes into the header; the app reads it itself.
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_STOP_S,
        server_header=False,
        log_level="info",
    )


def serve_app(app: FastAPI, host: str, port: int) -> None:
    """Serve until interrupted."""
    uvicorn.Server(make_config(app, host, port)).run()
