"""Progress of a command on stderr: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from select import select
from types import FrameType

from sidelight.cli.console import err

_FIRST_LINE_S, _LINE_EVERY_S = 10.0, 60.0
_SOON_S = 0.5
_ALIKE_S = 60.0  # apart, and two times need not both be told
_ENDS = {signal.SIGINT, signal.SIGTERM}


@dataclass
class _Work:
    """Work in progress, of which a line on stderr tells.

    `what` says what is counted; with None nothing is said. `kept` is how many of those `done` were
    done before: they say nothing of how long the others take. `total` is None where it is not
    known. `began`, and `last` for the one done last, are times of the monotonic clock.
    """

    what: str | None
    total: int | None = None
    done: int = 0
    kept: int = 0
    step: str = ""
    began: float = field(default_factory=time.monotonic)
    last: float = 0.0

    def __str__(self) -> str:
        passed = time.monotonic() - self.began
        of = f" of {self.total:,}" if self.total else " done"
        count = "" if self.total == 1 else f" {self.done:,}{of} after"
        line = f"{self.what}:{count} {duration(passed)}"
        if self.step:
            line += f" ({self.step})"
        new = self.done - self.kept
        if not self.total or new < _ENOUGH:
            return line
        if time.monotonic() - self.last > max(_STALLED_S, _STALLED * passed / new):
            return line  # what is under way takes longer than what is done
        return f"{line}, {duration(passed * (self.total - self.done) / new)} left"


# Without another done: seconds, and times what each took so far.
_STALLED_S, _STALLED = 60.0, 3
_ENOUGH = 3  # done: the first ones are slow, as models are loaded, or end side by side
STEPS = {
    "profile_article": "reading the article",
    "draft_rubric": "drafting what assessors might ask",
    "plan_queries": "planning searches",
    "search": "searching",
    "select_evidence": "selecting evidence",
    "assess_coverage": "deciding whether to search again",
    "write_questions": "writing questions",
    "write_report": "writing the report",
    "check_report": "checking sentences against their sources",
    "revise_report": "revising the report",
}


@dataclass
class Bar:
    """A progress bar; calling it advances it."""

    _work: _Work
    _show: Callable[..., None]

    def __call__(self, steps: int) -> None:
        """Count so many more as done."""
        self._work.done += steps
        self._work.last = time.monotonic()
        self._show(advance=steps)

    def keep(self, steps: int) -> None:
        """Count so many more as done before."""
        self._work.kept += steps
        self(steps)

    def begin(self, _topic_id: str, step: str, run: str = "") -> None:
        """Show which step of a topic has just begun, and of which run where there are several."""
        self._work.step = f"{run}: " * bool(run) + STEPS.get(step, step.replace("_", " "))
        self._show(description=f"{self._work.what}: {self._work.step}")


# What the process is at, the latest last: the line of the minute is about that.
_UNDER_WAY: list[_Work] = []


@contextmanager
def progress_bar(description: str, total: int | None = None) -> Iterator[Bar]:
    """Show a bar with elapsed and remaining time on stderr; yield what advances it.

    Without a terminal nothing is drawn: there `progress_lines` tells of it, as it does in a
    notebook without ipywidgets, where a bar would only warn that they are missing.
    """
    from rich import progress as bars

    columns = (
        *(bars.SpinnerColumn(), bars.TextColumn("{task.description}"), bars.BarColumn()),
        *(bars.MofNCompleteColumn(), bars.TimeElapsedColumn(), bars.TimeRemainingColumn()),
    )
    is_hidden = not (err.is_terminal or (err.is_jupyter and find_spec("ipywidgets")))
    with (
        _at(_Work(description, total)) as work,
        progress_lines() if is_hidden and err.is_jupyter else nullcontext(),
        bars.Progress(*columns, console=err, disable=is_hidden) as progress,
    ):
        task = progress.add_task(description, total=total)
        yield Bar(work, partial(progress.update, task))


@contextmanager
def in_lines(what: str | None) -> Iterator[None]:
    """Name a part of the command without a bar in the line that is printed every minute.

    With None nothing is printed: a server waits, or another process tells.
    """
    with _at(_Work(what, total=1)):
        yield


@contextmanager
def progress_lines() -> Iterator[None]:
    """Say on stderr how far the command is, where there is no terminal for a bar.

    Once it has run for some seconds, and then once a minute.
    """
    if err.is_terminal:
        yield
        return
    ended, began = threading.Event(), time.monotonic()

    def tell() -> None:
        wait_s = _FIRST_LINE_S
        while not ended.wait(wait_s):
            wait_s = _LINE_EVERY_S
            if not _UNDER_WAY or _UNDER_WAY[-1].what:
                err.print(_how_far(began), markup=False)

    threading.Thread(target=tell, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _how_far(began: float) -> str:
    """Return how far the command is that began at that time: the part under way, then the whole."""
    passed = duration(time.monotonic() - began)
    if not _UNDER_WAY:
        return f"running for {passed}"
    part = str(_UNDER_WAY[-1])
    is_whole = _UNDER_WAY[-1].began - began < _ALIKE_S
    return part if is_whole else f"{part}; {passed} since the command started"


@contextmanager
def interrupts_heard() -> Iterator[list[int]]:
    """End as by Ctrl-C when the process is terminated, and say so where that takes a while.

    Yields a list, to which SIGTERM is added when it is received.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    terminated: list[int] = []

    def terminate(number: int, frame: FrameType | None) -> None:
        terminated.append(number)
        at_once = signal.getsignal(signal.SIGINT)  # a shell has commands behind `&` ignore it
        (at_once if callable(at_once) else signal.default_int_handler)(signal.SIGINT, frame)

    by_default = signal.signal(signal.SIGTERM, terminate)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def tell() -> None:
        with os.fdopen(reading, "rb", buffering=0) as heard:
            while number := heard.read(1):
                if number[0] in _ENDS and not select([heard], [], [], _SOON_S)[0]:
                    err.print("Stopping. This may take some seconds.", markup=False)
                    while heard.read(1):  # once is enough
                        pass

    threading.Thread(target=tell, daemon=True).start()
    try:
        yield terminated
    finally:
        signal.signal(signal.SIGTERM, by_default)
        signal.set_wakeup_fd(before)
        os.close(writing)


@contextmanager
def _at(work: _Work) -> Iterator[_Work]:
    _UNDER_WAY.append(work)
    try:
        yield work
    finally:
        _UNDER_WAY.remove(work)


def duration(seconds: float) -> str:
    """Return a length of time in words, such as `45 s`, `12 min`, `3 h 5 min` or `9 days`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours >= 72:
        return f"{hours / 24:.0f} days"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
