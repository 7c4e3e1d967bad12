"""Telemetry switch of third-party packages: off, unless `SIDELIGHT_TELEMETRY` is `on`.

LangSmith variables, which people set for other programs, would send whole articles to its server.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "SIDELIGHT_TELEMETRY"

_OFF = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "RAY_USAGE_STATS_ENABLED": "0",
    "VLLM_NO_USAGE_STATS": "1",
}
# LangChain refuses to run where it finds these, which its older versions read.
_REMOVED = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")


def switch_off_telemetry() -> None:
    """Tell all packages, in this process and those it starts, to send nothing."""
    if not _is_wanted():
        os.environ.update(_OFF)
        for name in _REMOVED:
            os.environ.pop(name, None)


@contextmanager
def untraced() -> Iterator[None]:
    """Run graphs in the block without LangSmith, whatever the environment or the caller wants."""
    from langsmith import tracing_context

    with tracing_context(enabled=None if _is_wanted() else False):
        yield


def _is_wanted() -> bool:
    return os.environ.get(VARIABLE) == "on"
