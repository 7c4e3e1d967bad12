"""The site builds without a warning, holds what it should, and none of its links leads nowhere."""

import inspect
import os
import re
import subprocess
import sys
from html import unescape
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

import sidelight
from sidelight import plugins
from sidelight.config.load import describe_settings

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r'<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, as `make docs` builds it."""
    for needed in ("sphinx", "myst_parser", "furo", "sphinxcontrib.mermaid"):
        pytest.importorskip(needed, reason="needs the extra `docs`")
    made = tmp_path_factory.mktemp("site")
    (options,) = re.findall(r"-m sphinx (.*) site$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    command = [sys.executable, "-m", "sphinx", *options.split(), str(made)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return made


def page(site, name):
    return (site / f"{name}.html").read_text(encoding="utf-8")


def test_every_document_is_a_page_and_in_the_navigation(site):
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    names = {path.relative_to(ROOT).with_suffix("").as_posix() for path in documents} - {"README"}
    assert len(names) > 20
    start = page(site, "README")
    sidebar = start[start.index('class="sidebar-tree"') :].partition("</aside>")[0]
    assert names <= {link.removesuffix(".html") for link in LINK.findall(sidebar)}
    assert all((site / f"{name}.html").is_file() for name in names)


def test_links_within_the_site_lead_somewhere(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    names = {path: set(re.findall(r'\sid="([^"]+)"', text)) for path, text in pages.items()}
    followed = 0
    for path, text in pages.items():
        for link in map(unescape, LINK.findall(text)):
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            file, fragment = urldefrag(link)
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            assert target.is_file(), f"{path.name}: {link}"
            if fragment and target in names:
                assert unquote(fragment) in names[target], f"{path.name}: {link}"
            followed += 1
    assert followed > 1000


def filled(name, heading, made, until=""):
    """Hold what follows a heading of a page, up to some mark, against what the code says."""
    path = DOCS / name
    before, found, rest = path.read_text(encoding="utf-8").partition(heading)
    end = rest.find(until) if until else len(rest)
    expected = f"{before}{heading}{made}{rest[end:]}"
    if os.environ.get("SIDELIGHT_UPDATE_GOLDEN") == "1":
        path.write_text(expected, encoding="utf-8")
    assert found
    assert path.read_text(encoding="utf-8") == expected, "SIDELIGHT_UPDATE_GOLDEN=1 fills it anew"


def test_the_settings_are_those_of_the_program():
    tables = ""
    for group, members in groupby(describe_settings(), lambda one: one.name.split(".")[0]):
        tables += f"\n### {group}\n\n| setting | takes | default | |\n|---|---|---|---|\n"
        for one in members:
            takes = "; ".join(filter(None, (one.type, one.unit, one.range))).replace("|", "\\|")
            default = "*must be given*" if one.required else one.shown_default
            tables += f"| `{one.name}` | {takes} | {default} | {one.description} |\n"
    filled("settings.md", "## All settings\n", tables)


def test_the_functions_for_scripts_are_listed_with_what_they_do():
    rows = "\n| function | |\n|---|---|\n"
    for name in sidelight.__all__:
        function = getattr(sidelight, name)
        given = ", ".join(inspect.signature(function).parameters)
        said = str(inspect.getdoc(function)).partition("\n")[0]
        rows += f"| `{name}({given})` | {said} |\n"
    filled("api.md", "## Functions\n", rows, until="\n## ")


def test_the_interface_has_every_name_for_scripts_and_for_parts(site):
    text = page(site, "docs/api")
    described = set(re.findall(r'<dt [^>]*id="sidelight\.([\w.]+)"', text))
    parts = {f"plugins.roles.{name}" for name in plugins.roles.__all__}
    # Protocols of labelling are values: the list of names says what each is.
    parts |= {f"plugins.{name}" for name in plugins.__all__ if not name.isupper()}
    assert {*sidelight.__all__, *parts} - {"plugins.roles"} <= described
    listed = re.findall(r'<span class="pre">(\w+)</span></code>: ', text)
    assert set(plugins.__all__) <= set(listed)


def test_the_first_page_is_the_readme(site):
    assert "url=README.html" in page(site, "index")
    assert "make demo" in re.sub("<[^>]+>", "", page(site, "README"))
