"""A vLLM server that sidelight starts in a process of its own, which can be ended or killed.

Run with: python -m benchmarks.own_server MODEL LOG on|off  (the prefix cache)
It says on its output what the server says while it starts, then `ready ADDRESS`, and ends the
server when its input ends.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from sidelight.llm.server.vllm import serve_vllm

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

# Compiling takes longer than it saves for a small model, and 1 GiB holds 2 million tokens of it.
ARGUMENTS = ("--enforce-eager", "--dtype", "float32")
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
_READY = "ready "
_TIME_TO_GO_S = 30.0


class Process(NamedTuple):
    """A process; its number may be given to another one, but not with the same start."""

    pid: int
    started: int


def family(pid: int) -> set[Process]:
    """Return all processes that a process has started, and that these have."""
    parents, starts = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
            starts[int(entry.name)] = int(fields[19])
    found, left = set(), [pid]
    while left:
        parent = left.pop()
        children = [child for child, its_parent in parents.items() if its_parent == parent]
        found |= {Process(child, starts[child]) for child in children}
        left += children
    return found


def of_other_sessions(pid: int) -> frozenset[Process]:
    """Return those of a process's family that have a session of their own, as servers have."""
    own = os.getsid(pid)
    return frozenset(
        one for one in family(pid) if (fields := _stat(one.pid)) and int(fields[3]) != own
    )


def alive(processes: Iterable[Process]) -> list[Process]:
    """Return those that still run."""
    return [
        one
        for one in processes
        if (fields := _stat(one.pid)) and fields[0] != "Z" and int(fields[19]) == one.started
    ]


def left_over(processes: Iterable[Process]) -> list[Process]:
    """Return those that run still when they have had time to go."""
    deadline = time.monotonic() + _TIME_TO_GO_S
    while (left := alive(processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _stat(pid: int) -> list[str]:
    """Return the fields of `/proc/PID/stat` from the state on; none if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(") ")[2].split()


class OwnServer:
    """A server while the block runs.

    Attributes:
        url: Where its API begins.
        said: Lines it said while it started.
        start_s: Seconds until it was ready.
    """

    def __init__(self, model: Path, log: Path, *, prefix_caching: bool) -> None:
        self.url = ""
        self.said: list[str] = []
        self.start_s = 0.0
        caching = "on" if prefix_caching else "off"
        self._command = [sys.executable, "-m", __spec__.name, str(model), str(log), caching]

    def __enter__(self) -> Self:
        started = time.monotonic()
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(_READY):
                self.url = line.removeprefix(_READY).strip()
                break
            self.said.append(line.rstrip())
        self.start_s = time.monotonic() - started
        if not self.url:
            self._process.wait()
            raise RuntimeError("the server did not start; see what it said above")
        self.processes = family(self._process.pid)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.communicate()

    def healthy(self) -> bool:
        """Tell whether it says so."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/health") as response:
            return bool(response.status == 200)

    def end(self) -> list[Process]:
        """End it as a run does; return what is left of it."""
        self._process.communicate()
        return left_over(self.processes)

    def kill(self) -> list[Process]:
        """Kill sidelight, not the server, by `kill -9`; return what is left of the server."""
        self.processes = family(self._process.pid)
        self._process.kill()
        self._process.communicate()
        return left_over(self.processes)


def main() -> None:
    model, log, caching = sys.argv[1:]

    def say(line: str) -> None:
        print(line, flush=True)

    async def serve() -> None:
        served = serve_vllm(
            model,
            Path(log),
            prefix_caching=caching == "on",
            extra_arguments=ARGUMENTS,
            progress=say,
        )
        async with served as url:
            say(f"{_READY}{url}")
            await asyncio.to_thread(sys.stdin.read)

    asyncio.run(serve())


if __name__ == "__main__":
    main()
