"""The pages that people see: the form, an investigation under way, and the icon of both."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from pathlib import Path

_FOLDER = Path(__file__).parent / "site"
_PARTS = re.compile(r"<(?P<tag>style|script)>(?P<text>.*?)</(?P=tag)>", re.DOTALL)
ICON = (_FOLDER / "icon.svg").read_bytes()


def start_page() -> tuple[str, dict[str, str]]:
    """Return the form, and its headers."""
    return _page("start.html")


def job_page(title: str) -> tuple[str, dict[str, str]]:
    """Return the page of an investigation under a title of its own, and its headers."""
    text, headers = _page("job.html")
    return text.replace("TITLE", escape(title)), headers


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
        f"default-src 'none'; style-src '{_hash(found['style'])}'; "
        f"script-src '{_hash(found['script'])}'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return text, page_headers(policy)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
