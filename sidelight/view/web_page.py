"""One page of the web, as the page of a run names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page of the web.

    Attributes:
        host: Its host name; the address where there is none.
        title: Its title; may be empty.
        url: Its address if a browser may follow it (http or https), else empty.
    """

    host: str
    title: str
    url: str
