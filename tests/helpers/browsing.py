"""A real browser, and waiting in it.

Needs Playwright (the `browser` extra) and Debian's Chromium; nothing is downloaded.
"""

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
