"""Waiting in a real browser."""

from __future__ import annotations

import time
from typing import Any

WAIT_S = 30


def wait_until(tab: Any, condition: str) -> None:
    """Ask a page again and again: its policy lets it evaluate nothing by itself."""
    until = time.monotonic() + WAIT_S
    while not tab.evaluate(condition):
        assert time.monotonic() < until, condition
        time.sleep(0.02)
