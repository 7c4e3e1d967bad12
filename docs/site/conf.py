"""The documentation as a site: the Markdown of this repository, with the README in front.

`make docs` builds it. Its navigation is what the README links to under "Read more", so a page that
is missing there is a warning, and warnings are errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.plugins import roles
from sidelight.versions import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

project = "sidelight"
author = "The sidelight developers"
release = VERSION
html_title = f"sidelight {VERSION}"
html_theme = "furo"
html_copy_source = False
html_additional_pages = {"index": "index.html"}
templates_path = ["."]

root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "sidelight/sample/README.md"]
exclude_patterns = [".*", "runs"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxcontrib.mermaid"]
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
autodoc_member_order = "bysource"
default_role = "code"  # docstrings have Markdown's single backticks
autodoc_typehints = "description"
napoleon_use_ivar = True  # a field of a value is described once


def navigation(readme: str) -> str:
    """Return the lines under "Read more", `- Heading: links`, each as a part of the contents."""
    lines = re.findall(
        r"^- (.*?): (.*)$", unwrapped(readme.partition("## Read more\n")[2]), re.MULTILINE
    )
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{entries(links)}```\n"
        for heading, links in lines
    )


def unwrapped(text: str) -> str:
    """Return a list with each of its items on one line."""
    return re.sub(r"\n  +", " ", text)


def entries(links: str) -> str:
    """Return the pages that are linked to, one a line."""
    pages = re.findall(r"\[([^\]]+)\]\(([^)#]+)\.md\)", links)
    return "".join(f"{title} <{page}>\n" for title, page in pages)


def interface_of_roles(_: str) -> str:
    """Return the protocol of every role, and what performers take and return."""
    described = "".join(
        f".. autoclass:: sidelight.plugins::roles.{name}\n"
        "   :members:\n   :special-members: __call__\n\n"
        for name in roles.__all__
    )
    return f"\n## `sidelight.plugins.roles`\n\n```{{eval-rst}}\n{described}```\n"


MADE: dict[str, Callable[[str], str]] = {
    "README": navigation,
    "docs/api": interface_of_roles,
}
"""Page -> what is added to it, from its own text or from the code."""


def add_what_is_made(_: Sphinx, page: str, source: list[str]) -> None:
    """Put at the end of a page what the site makes for it."""
    if page in MADE:
        source[0] += MADE[page](source[0])


def setup(app: Sphinx) -> None:
    """Connect the above with Sphinx."""
    app.connect("source-read", add_what_is_made)
