"""The web app: a form, an API to submit an article and follow it, and the finished pages."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from pydantic import Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.middleware.trustedhost import TrustedHostMiddleware

from sidelight.schemas.article import Article
from sidelight.schemas.base import Value
from sidelight.serve.desk import FullError, Job, State
from sidelight.serve.guards import BodyGuard, ClientAddress, RateGuard, TokenGuard, client_of
from sidelight.versions import VERSION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from sidelight.serve.desk import Desk

MAX_BODY_BYTES = 1_000_000
STREAMS_OF_A_CLIENT = 20
BODY_TIMEOUT_S = 10.0

_START = Path(__file__).with_name("start.html")
_RETRY_S = {"Retry-After": "60"}


class Submission(Value):
    """An article to investigate."""

    title: str = Field("", max_length=500, description="Headline.")
    url: Annotated[str, Field(max_length=2000, pattern=r"^(https?://\S+)?$")] = Field(
        "", description="Where it was published; nothing is fetched from there."
    )
    text: str = Field(min_length=1, max_length=200_000, description="Its text.")


_FIELDS = {"body", *Submission.model_fields}
_NO_ARTICLE = "Expected a JSON object with title, url and text."


class Progress(Value):
    """How far an investigation is.

    Attributes:
        id: Of the investigation.
        state: `waiting`, `running`, `done` or `failed`.
        ahead: Investigations that come first, while it waits.
        steps: Steps begun so far.
        message: Why it failed.
        page: Where its page is, when it is done.
    """

    id: str
    state: State
    ahead: int = 0
    steps: tuple[str, ...] = ()
    message: str = ""
    page: str = ""


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
    if token:
        app.add_middleware(TokenGuard, token=token)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(ClientAddress)
    routes = _Routes(desk)
    one = "/investigations/{job_id}"
    app.get("/", response_class=HTMLResponse, include_in_schema=False)(routes.start)
    app.post("/investigations", status_code=202)(routes.submit)
    app.get(one)(routes.show)
    app.delete(one)(routes.cancel)
    app.get(f"{one}/events", response_class=EventSourceResponse)(routes.follow)
    app.get(f"{one}/page", response_class=HTMLResponse)(routes.page)
    return app


class _Routes:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._streams: Counter[str] = Counter()

    async def start(self) -> HTMLResponse:
        text = _START.read_text(encoding="utf-8")
        return HTMLResponse(text, headers=_headers(_policy(text)))

    async def submit(self, submission: Submission) -> Progress:
        """Have an article investigated; 429 when there are too many."""
        article = Article(
            topic_id="article", url=submission.url, title=submission.title, body=submission.text
        )
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
        return FileResponse(self._desk.page_of(job), media_type="text/html", headers=_headers())

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
            steps=tuple(job.steps),
            message=job.message,
            page=f"/investigations/{job.job_id}/page" if job.state == "done" else "",
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


def _headers(policy: str = "") -> dict[str, str]:
    headers = {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    return headers | ({"Content-Security-Policy": policy} if policy else {})


def _policy(text: str) -> str:
    """Return a policy that allows the page's own style and script, and calls to its server."""
    style = text.partition("<style>")[2].partition("</style>")[0]
    script = text.partition("<script>")[2].partition("</script>")[0]
    hashes = [
        base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        for part in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
