"""A model server in a process of its own, for what is timed against one."""

from __future__ import annotations

import subprocess
import sys

from tests.helpers.models import fault_server


class ModelServer:
    """Answers every call with made-up text that fits its schema; a context manager.

    Args:
        latency_s: Seconds from a request to its answer, however many come at once.
    """

    def __init__(self, latency_s: float) -> None:
        self._command = [sys.executable, "-m", fault_server.__name__, "--latency", str(latency_s)]

    def __enter__(self) -> str:
        """Start the server and return its address."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
