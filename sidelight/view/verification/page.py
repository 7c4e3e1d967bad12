"""The page as one HTML file that asks the network for nothing; see `sidelight.view.page`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.view.page import content_policy, page_template

if TYPE_CHECKING:
    from sidelight.view.verification.grid import Verification

_FOLDER = Path(__file__).parent


def render_verification(page: Verification, source: str, digest: str) -> str:
    """Return the page as HTML; the same values give the same text.

    Args:
        page: What it shows.
        source: Name of the file of graded passages.
        digest: Its SHA-256, which corrections name, so that they are not read into another file.
    """
    style, script = _part("style.css"), _part("script.js")
    about = {
        "source": source,
        "sha256": digest,
        "grader": {"prompt": page.grader.prompt, "model": page.grader.model},
    }
    return page_template(_FOLDER).render(
        page=page,
        source=source,
        about=json.dumps(about),
        style=style,
        script=script,
        policy=content_policy(style, script),
    )


@cache
def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
