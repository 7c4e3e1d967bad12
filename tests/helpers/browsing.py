"""A real browser, and waiting in it.

Needs Playwright (the `browser` extra) and Debian's Chromium; nothing is downloaded.
"""

import os
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

WAIT_S = 30

_CHROMIUM = Path("/usr/bin/chromium")
# As root there is no sandbox; the rest keeps the browser's own errands off the network.
_ARGUMENTS = """
    --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync
""".split()


@contextmanager
def started_browser():
    """Start the browser and end it; tests that need it are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
    if not _CHROMIUM.exists():
        pytest.skip(f"needs Debian's chromium at {_CHROMIUM}")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=str(_CHROMIUM), args=_ARGUMENTS)
        yield chromium
        chromium.close()


def wait_until(tab, condition):
    """Ask a page again and again: its policy lets it evaluate nothing by itself."""
    until = time.monotonic() + WAIT_S
    while not tab.evaluate(condition):
        assert time.monotonic() < until, condition
        time.sleep(0.02)


def assert_soon_there(browser, path):
    """The best of three counts: the machine may have other work."""
    times = []
    for _ in range(3):
        tab = browser.new_page()
        tab.goto(path.as_uri())
        wait_until(tab, "performance.getEntriesByName('first-paint').length > 0")
        loaded = "performance.getEntriesByType('navigation')[0].loadEventEnd"
        wait_until(tab, f"{loaded} > 0")
        painted = "performance.getEntriesByName('first-paint')[0].startTime"
        times.append(tab.evaluate(f"Math.max({painted}, {loaded})"))
        tab.close()
    assert min(times) < 1000


def violations(tab):
    """Return what axe-core finds; it is read from the file that SIDELIGHT_AXE names."""
    if "SIDELIGHT_AXE" not in os.environ:
        pytest.skip("needs SIDELIGHT_AXE, the path of axe.min.js from npm's axe-core")
    tab.evaluate(Path(os.environ["SIDELIGHT_AXE"]).read_text(encoding="utf-8"))
    found = tab.evaluate("axe.run().then((result) => result.violations)")
    return [(one["id"], one["nodes"][0]["html"]) for one in found]


class Watched:
    """A tab, what it asked for, and what its page complained of."""

    def __init__(self, browser, **options):
        self.asked, self.said = [], []
        self.tab = browser.new_page(**options)
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
