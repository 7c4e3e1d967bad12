"""What the API of the web app takes and answers."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from sidelight.schemas.base import Value
from sidelight.serve.desk import State
from sidelight.serve.news import Found

MAX_TITLE, MAX_URL, MAX_TEXT = 500, 2_000, 200_000
ADDRESS = re.compile(r"https?://\S+")


class Submission(Value):
    """An article to investigate."""

    title: str = Field("", max_length=MAX_TITLE, description="Headline.")
    url: Annotated[str, Field(max_length=MAX_URL, pattern=rf"^({ADDRESS.pattern})?$")] = Field(
        "", description="Where it was published; nothing is fetched from there."
    )
    text: str = Field(min_length=1, max_length=MAX_TEXT, description="Its text.")


class Progress(Value):
    """How far an investigation is.

    Attributes:
        id: Of the investigation.
        state: `waiting`, `running`, `done` or `failed`.
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
    found: tuple[Found, ...] = ()
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
    415: "The Content-Type is none that this address takes.",
    422: "It is no article.",
    429: "Too many at once, or in a minute; `Retry-After` says when to come again.",
}
