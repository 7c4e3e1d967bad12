"""Local vLLM server: started, waited for, and ended with its whole process group.

A supervisor ends that group when its starter ends. It is this file, run as a script in a session of
its own; its standard input is a pipe that only the starter holds: however the starter ends, even by
`kill -9`, the pipe does too.
`PR_SET_PDEATHSIG` would reach only the direct child, and fires when the starting thread ends.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import Process
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from time import monotonic

from sidelight.errors import MachineError, ModelUnavailableError, install_hint
from sidelight.files import check_output, make_folder

_CHILD_POLL_S = 0.2  # how soon the end of the child is noticed
_GRACE_S = 10.0


def main() -> None:
    """Run the command line's command; end its group when it ends or when standard input does."""
    # Not SIG_IGN, which the command would inherit.
    signal.signal(signal.SIGTERM, lambda *_: None)
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)  # noqa: S603 - vllm serve
    while child.poll() is None:
        if select.select([sys.stdin], [], [], _CHILD_POLL_S)[0]:  # nobody writes: this is the end
            os.killpg(0, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                child.wait(_GRACE_S)
            break
    # What it left behind as well, and this process, which is one of the group.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()


_HOST = "127.0.0.1"
_READY_POLL_S = 0.25
_HEALTH_TIMEOUT_S = 2.0
_NOTICED_S = 1.0
_LOG_LINES, _MAX_LINE = 20, 1000
# The last line of a traceback, as the servers' processes write it behind their names and times.
_ERROR = re.compile(r"(?:^|(?<=[\s.]))\w+(?:Error|Exception): .+")


@asynccontextmanager
async def serve_vllm(
    model: str,
    log: Path,
    *,
    tensor_parallel_size: int = 1,
    max_model_len: int | None = None,
    prefix_caching: bool = True,
    structured_outputs_backend: str = "auto",
    reasoning_parser: str | None = None,
    extra_arguments: Sequence[str] = (),
    start_timeout_s: float = 1800.0,
    progress: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[str]:
    """Serve a model with `vllm serve` while the block runs, on a free port of this machine.

    The server and all its processes end with the block, and with this process, however it ends.
    It yields the address at which the API begins.

    Args:
        model: Name or folder of the weights; the name under which they are served, too.
        log: File that gets what the server says.
        tensor_parallel_size: GPUs that share the model.
        max_model_len: Longest prompt and reply together, in tokens; None takes the model's own.
        prefix_caching: Whether prompts that begin alike are read once.
        structured_outputs_backend: What enforces JSON schemas: `auto`, `xgrammar`, `guidance`, ...
        reasoning_parser: What sets a reasoning model's thoughts apart; None for other models.
        extra_arguments: Further arguments of `vllm serve`, as they are.
        start_timeout_s: Longest wait for the server to be ready, in seconds.
        progress: Told the latest line of the log while the server starts.
    """
    port = _free_port()
    arguments = [
        *(find_vllm(), "serve", model, "--host", _HOST, "--port", str(port)),
        *("--tensor-parallel-size", str(tensor_parallel_size)),
        *(("--max-model-len", str(max_model_len)) if max_model_len is not None else ()),
        "--enable-prefix-caching" if prefix_caching else "--no-enable-prefix-caching",
        *("--structured-outputs-config.backend", structured_outputs_backend),
        *(("--reasoning-parser", reasoning_parser) if reasoning_parser is not None else ()),
        *extra_arguments,
    ]
    process = await _start(arguments, log)
    try:
        await _wait_until_ready(process, port, log, start_timeout_s, progress)
        yield f"http://{_HOST}:{port}/v1"
    except ModelUnavailableError as error:
        if await _has_ended(process):
            raise _failed("ended while it was asked", log) from error
        raise
    finally:
        await process.communicate(b"")  # closes its input, on which it ends all


def find_vllm() -> str:
    """Return the command `vllm`: of the PATH, or of the environment that sidelight runs in.

    It may be of another environment than sidelight: nothing of it is imported here.
    """
    # A virtual environment need not be active for its sidelight to run.
    beside = Path(sys.executable).parent
    found = shutil.which("vllm") or shutil.which("vllm", path=beside)
    if found is None:
        raise MachineError(
            "serving a model needs vLLM, which is not installed",
            remedy="Name a server: --base-url; or, in an environment of its own, add vLLM. "
            f"{install_hint('gpu')}",
        )
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
    return port


async def _start(arguments: Sequence[str], log: Path) -> Process:
    check_output(log)
    make_folder(log.parent)
    with log.open("wb") as stream:
        return await asyncio.create_subprocess_exec(
            # Isolated: nothing in the current folder or the environment can get in its way.
            *(sys.executable, "-I", __file__, *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=stream,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )


async def _wait_until_ready(
    process: Process, port: int, log: Path, timeout_s: float, progress: Callable[[str], None]
) -> None:
    deadline = monotonic() + timeout_s
    shown = ""
    while not await asyncio.to_thread(_healthy, port):
        if process.returncode is not None:
            raise _failed("ended while it started", log)
        if monotonic() > deadline:
            raise _failed(f"was not ready in {timeout_s:g} s", log)
        last = "".join(_last_lines(log, 1))
        if last != shown:
            progress(last)
            shown = last
        await asyncio.sleep(_READY_POLL_S)


async def _has_ended(process: Process) -> bool:
    """Tell whether a server is gone; a client may notice it a moment before its supervisor does."""
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _NOTICED_S)
    return process.returncode is not None


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(_HOST, port, timeout=_HEALTH_TIMEOUT_S)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _failed(what: str, log: Path) -> MachineError:
    said = "\n".join(_last_lines(log, _LOG_LINES)) or "(nothing)"
    # What follows from an error, and what its processes say at their ends, fills many lines.
    cause = f"; its first error: {first}" if (first := _first_error(log)) else ""
    return MachineError(
        f"the vLLM server {what}{cause}; it said last:\n{said}",
        remedy=f"Mend what it complains of; all it said is in {log}",
    )


def _first_error(log: Path) -> str:
    with log.open(encoding="utf-8", errors="replace") as stream:
        found = (_ERROR.search(line[:_MAX_LINE]) for line in stream)
        return next((match[0].rstrip() for match in found if match), "")


def _last_lines(log: Path, n: int) -> Sequence[str]:
    with log.open(encoding="utf-8", errors="replace") as stream:
        return deque((line.rstrip() for line in stream if line.strip()), maxlen=n)
