"""The web app: a form, an API to submit an article and follow it, and the finished pages."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.middleware.trustedhost import TrustedHostMiddleware

from sidelight.schemas.article import Article
from sidelight.serve.acceptance import why_no_article
from sidelight.serve.desk import FullError, Job
from sidelight.serve.guards import (
    BodyGuard,
    ClientAddress,
    KindGuard,
    OriginGuard,
    RateGuard,
    TokenGuard,
    client_of,
    media_type,
)
from sidelight.serve.messages import (
    ADDRESS,
    MAX_TEXT,
    MAX_TITLE,
    MAX_URL,
    Progress,
    Submission,
    refusals,
)
from sidelight.serve.site_pages import ICON, job_page, page_headers, start_page
from sidelight.serve.upload import READERS, NoArticleError, read_upload
from sidelight.text import one_line
from sidelight.versions import VERSION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from sidelight.serve.desk import Desk

MAX_BODY_BYTES = 1_000_000
STREAMS_OF_A_CLIENT = 20
BODY_TIMEOUT_S = 10.0

_RETRY_S = {"Retry-After": "60"}


_FIELDS = {"body", *Submission.model_fields}
_KINDS = {"/investigations": ("application/json",), "/investigations/file": tuple(READERS)}
_NO_ARTICLE = "Expected a JSON object with title, url and text."


def make_app(desk: Desk, *, hosts: Sequence[str], per_minute: int, token: str = "") -> FastAPI:
    """Return the app.

    Args:
        desk: Where articles go.
        hosts: Names under which the app may be addressed; a page elsewhere cannot reach it under
            one of its own.
        per_minute: Articles that one client may submit in a minute.
        token: Must be shown with every request; empty where everybody on this machine may ask.
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
    # The last one added comes first.
    app.add_middleware(BodyGuard, max_bytes=MAX_BODY_BYTES, timeout_s=BODY_TIMEOUT_S)
    app.add_middleware(RateGuard, per_minute=per_minute)
    # What no page or program of the user's sent does not count against the user's rate.
    app.add_middleware(KindGuard, kinds=_KINDS)
    app.add_middleware(OriginGuard)
    if token:
        app.add_middleware(TokenGuard, token=token)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(ClientAddress)
    refused = (400, 408, 413)
    _add_routes(app, _Routes(desk), (*refused, 401) if token else refused)
    return app


def _add_routes(app: FastAPI, routes: _Routes, always: Sequence[int]) -> None:
    """Add what the app answers.

    Args:
        app: The app.
        routes: The answers.
        always: With which status every request may be refused.
    """
    one = "/investigations/{job_id}"
    shown: dict[str, Any] = {"include_in_schema": False, "response_class": HTMLResponse}
    app.get("/", **shown)(routes.start)
    app.get("/jobs/{job_id}", **shown)(routes.watch)
    for name in ("/icon.svg", "/favicon.ico"):
        app.get(name, include_in_schema=False)(routes.icon)
    app.post(
        "/investigations",
        status_code=202,
        responses=refusals(403, 415, 422, 429, *always),
    )(routes.submit)
    app.post(
        "/investigations/file",
        status_code=202,
        responses=refusals(403, 415, 422, 429, *always),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {kind: {"schema": {"type": "string"}} for kind in READERS},
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


class _Routes:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._streams: Counter[str] = Counter()

    async def start(self) -> HTMLResponse:
        text, headers = start_page()
        return HTMLResponse(text, headers=headers)

    async def watch(self, job_id: str) -> HTMLResponse:
        job = self._desk.find(job_id)
        text, headers = job_page(one_line(job.article.title) if job else "No such investigation")
        return HTMLResponse(text, 200 if job else 404, headers=headers)

    async def icon(self) -> Response:
        return Response(
            ICON, media_type="image/svg+xml", headers={"X-Content-Type-Options": "nosniff"}
        )

    async def submit(self, submission: Submission) -> Progress:
        """Have an article investigated."""
        return self._take(submission.title, submission.url, submission.text)

    async def submit_file(self, request: Request) -> Progress:
        """Have the article in a file investigated: a saved web page, or a line of a topics file."""
        content = await request.body()
        try:
            found = await asyncio.to_thread(read_upload, media_type(request.headers), content)
        except NoArticleError as error:
            raise HTTPException(422, str(error)) from None
        if len(found.text) > MAX_TEXT:
            raise HTTPException(422, f"The article has over {MAX_TEXT:,} characters.")
        url = found.url if ADDRESS.fullmatch(found.url) and len(found.url) <= MAX_URL else ""
        return self._take(found.title[:MAX_TITLE], url, found.text)

    def _take(self, title: str, url: str, text: str) -> Progress:
        if why := why_no_article(text):
            raise HTTPException(422, why)
        article = Article(topic_id="article", url=url, title=title, body=text)
        try:
            return self._progress(self._desk.submit(article))
        except FullError:
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
        job, client = self._find(job_id), client_of(request.scope)
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
            raise HTTPException(404, "There is no such investigation, or it is too long ago.")
        return job

    def _progress(self, job: Job) -> Progress:
        return Progress(
            id=job.job_id,
            state=job.state,
            ahead=self._desk.ahead_of(job),
            title=one_line(job.article.title),
            steps=tuple(job.steps),
            queries=tuple(job.news.queries),
            found=tuple(job.news.found),
            sentences=tuple(job.news.sentences),
            message=job.message,
            page=f"/investigations/{job.job_id}/page" if job.state == "done" else "",
            address=f"/jobs/{job.job_id}",
        )


async def _refuse_invalid(_: Request, error: Exception) -> JSONResponse:
    """Say what is wrong with a body without a word of it: not all that comes can be sent back."""
    faults = error.errors() if isinstance(error, RequestValidationError) else ()
    return JSONResponse(
        {
            "detail": [
                {
                    "loc": [part for part in fault["loc"] if part in _FIELDS],
                    "msg": fault["msg"] if fault["loc"][-1] in _FIELDS else _NO_ARTICLE,
                    "type": fault["type"],
                }
                for fault in faults[:10]
            ]
        },
        422,
    )
