"""HTML page in one file that makes no network request and runs only its own script.

Style and script are inlined, and the page's Content-Security-Policy names their hashes and allows
nothing else, so that a tag which slipped through the escaping would do nothing either.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.formats.runs.submission import told_twins
from sidelight.text import printable
from sidelight.view.model import Page, RunList

if TYPE_CHECKING:
    from jinja2 import Template


_FOLDER = Path(__file__).parent


def render_page(page: Page) -> str:
    """Return the page as HTML; the same values give the same text."""
    return rendered(_FOLDER, page=page)


def render_runs(found: RunList) -> str:
    """Return the page on which runs are listed and compared as HTML."""
    topics = dict.fromkeys(topic_id for one in found.runs for topic_id in one.topics)
    return rendered(
        _FOLDER,
        "runs.html.jinja",
        ("style.css", "runs.css"),
        "runs.js",
        found=found,
        twins=told_twins({one.run.place: one.results for one in found.runs}),
        topics=list(topics),
        measures=list(dict.fromkeys(name for one in found.runs for name in one.scores)),
    )


def rendered(
    folder: Path,
    name: str = "page.html.jinja",
    styles: tuple[str, ...] = ("style.css",),
    script: str = "script.js",
    **values: object,
) -> str:
    """Return a page from a template of a folder; it may use these styles and this script alone."""
    style = "".join(_part(folder, one) for one in styles)
    code = _part(folder, script)
    policy = (
        f"default-src 'none'; style-src '{csp_hash(style)}'; script-src '{csp_hash(code)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return _template(folder, name).render(style=style, script=code, policy=policy, **values)


@cache
def _template(folder: Path, name: str) -> Template:
    """Return a template of a folder; what it shows is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    return environment.get_template(name)


@cache
def _part(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def csp_hash(text: str) -> str:
    """Return a style or script as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
