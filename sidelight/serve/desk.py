"""Job queue of investigations with live progress: a few run at once, old ones are removed.

Worker thread for investigations, so that they never block the server.

Job files: the state of each investigation on disk, so that a restarted server resumes.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import re
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, Self, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from sidelight.config.settings import Settings
from sidelight.english.cleaning import find_publisher, headline
from sidelight.errors import SidelightError, UsageError
from sidelight.files import atomic_write, make_folder, read_limited
from sidelight.runs.directory import RunDirectory
from sidelight.runs.runner import Investigate, RunSummary, run_topics
from sidelight.schemas.base import Value, faults
from sidelight.schemas.investigation.angle import Plan
from sidelight.schemas.investigation.evidence import Selection
from sidelight.schemas.investigation.report import CheckedReport
from sidelight.schemas.topic import Article
from sidelight.text import one_line
from sidelight.view.collect import collect_page
from sidelight.view.page import render_page
from sidelight.view.shown_run import finished_run

T = TypeVar("T")


class Worker:
    """Holds what `start` opens for investigations, in an event loop of its own; a context manager.

    Raises:
        SidelightError: On entering, whatever `start` raises.
    """

    def __init__(self, start: Callable[[], AbstractAsyncContextManager[Investigate]]) -> None:
        self._start = start
        self._opened: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, Investigate]]
        self._opened = Future()
        self._thread = threading.Thread(target=self._run, name="investigations", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._opened.result()
        return self

    def __exit__(self, *_error: object) -> None:
        loop, ended, _ = self._opened.result()
        loop.call_soon_threadsafe(ended.set)
        self._thread.join()

    async def perform(self, work: Callable[[Investigate], Coroutine[None, None, T]]) -> T:
        """Do some work in the thread, and wait for it without blocking this loop."""
        loop, _, investigate = self._opened.result()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(investigate), loop))

    def _run(self) -> None:
        try:
            asyncio.run(self._hold())
        except BaseException as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)

    async def _hold(self) -> None:
        ended = asyncio.Event()
        async with self._start() as investigate:
            self._opened.set_result((asyncio.get_running_loop(), ended, investigate))
            await ended.wait()


_JOB_FILE = re.compile(r"[0-9a-f]{32}\.json")

_logger = logging.getLogger(__name__)


class JobFile(Value):
    """An investigation that was asked for; `message` says why it failed, and is else empty."""

    article: Article
    message: str = ""


def claim_folder(folder: Path) -> None:
    """Make a folder if it is missing; raise UsageError if it cannot be written to."""
    try:
        make_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"{folder}: expected a folder that can be written to; found: {error.strerror}",
            remedy="Name another one with --output, or change the permissions of this one.",
        ) from error


def read_jobs(folder: Path) -> list[tuple[str, JobFile]]:
    """Return the investigations of a folder by id, in the order in which they were asked for.

    What is no such file is left alone; a damaged one is named in the log.
    """
    if not folder.is_dir():
        return []
    paths = [path for path in folder.iterdir() if _JOB_FILE.fullmatch(path.name)]
    found = []
    for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name)):
        try:
            job = JobFile.model_validate_json(read_limited(path), strict=True)
        except (OSError, ValidationError) as error:
            _logger.warning("%s is left out: %s", path.name, faults(error))
            continue
        found.append((path.stem, job))
    return found


_MOST = 60  # of each: all are sent with every event


class FoundPage(Value):
    """A page that was found to speak to the article.

    Attributes:
        title: Of the page.
        host: Where it stands.
    """

    title: str
    host: str


@dataclass(slots=True)
class News:
    """Everything so far: searches, pages taken as evidence, and sentences that stood the check."""

    queries: list[str] = field(default_factory=list)
    found: list[FoundPage] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def take(self, result: object) -> bool:
        """Take note of what came of a step, and tell whether there is anything new in it."""
        before = (len(self.queries), len(self.found), tuple(self.sentences))
        match result:
            case Plan():
                self.queries = _added(self.queries, (one_line(one.text) for one in result.queries))
            case Selection():
                pages = (
                    FoundPage(title=one_line(one.segment.title), host=one.segment.host)
                    for one in result.evidence.items
                )
                self.found = _added(self.found, pages)
            case CheckedReport():
                stand = (one_line(one.text) for one in result.draft.sentences)
                self.sentences = _added([], stand)
        return before != (len(self.queries), len(self.found), tuple(self.sentences))


def _added(known: list[T], more: Iterable[T]) -> list[T]:
    return list(dict.fromkeys([*known, *more]))[:_MOST]


PAGE = "page.html"
_CANCELLED = "The investigation was cancelled."
State = Literal["waiting", "running", "done", "failed", "cancelled"]


def _ended_badly(message: str) -> State:
    return "cancelled" if message == _CANCELLED else "failed"


@dataclass(eq=False)
class Job:
    """One investigation; `job_id` cannot be guessed, and `work` is the task that works on it."""

    job_id: str
    article: Article
    state: State = "waiting"
    steps: list[str] = field(default_factory=list)
    news: News = field(default_factory=News)
    message: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    work: asyncio.Task[None] | None = None

    @cached_property
    def title(self) -> str:
        """Its headline, without the outlet's name."""
        return headline(self.article.title, find_publisher(self.article))

    @property
    def ended(self) -> bool:
        """Tell whether nothing more will happen."""
        return self.state in {"done", "failed", "cancelled"}

    def tell(self) -> None:
        """Notify all waiting listeners."""
        self.changed.set()
        self.changed = asyncio.Event()


class Desk:
    """Takes articles and has them investigated; for one event loop.

    Args:
        worker: Where investigations run.
        settings: The same as for `sidelight run`.
        index_fingerprint: Hash of the index.
        folder: Gets a run directory for each investigation.
        at_once: Maximum concurrent investigations.
        places: Investigations that may wait.
        kept: Finished investigations that stay; older ones are removed.
        limit_s: Seconds that an investigation may take.
        texts: The segments of the index; see `finished_run`.
    """

    def __init__(
        self,
        worker: Worker,
        settings: Settings,
        index_fingerprint: str,
        folder: Path,
        *,
        at_once: int,
        places: int,
        kept: int,
        limit_s: float,
        texts: object = None,
    ) -> None:
        self._worker = worker
        self._settings = settings
        self._index_fingerprint = index_fingerprint
        self._folder = folder
        self._at_once = at_once
        self._kept = kept
        self._limit_s = limit_s
        self._texts = texts
        self._waiting: asyncio.Queue[Job] = asyncio.Queue(places)
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def submit(self, article: Article) -> Job:
        """Put an article in the queue; raise `asyncio.QueueFull` if the queue is full."""
        job = Job(uuid4().hex, article)
        self._waiting.put_nowait(job)
        self._jobs[job.job_id] = job
        self._save(job)
        return job

    def find(self, job_id: str) -> Job | None:
        """Return an investigation, if there is or recently was one of that id."""
        return self._jobs.get(job_id)

    def cancel(self, job: Job) -> None:
        """End an investigation that waits or runs."""
        if job.work is not None:
            job.message = _CANCELLED
            job.work.cancel()
        elif not job.ended:
            job.state, job.message = "cancelled", _CANCELLED
            self._save(job)
            self._tell_all()
            job.tell()

    def ahead_of(self, job: Job) -> int:
        """Return how many investigations come before one that waits."""
        waiting = [other for other in self._jobs.values() if other.state == "waiting"]
        return waiting.index(job) if job in waiting else 0

    def page_of(self, job: Job) -> Path:
        """Return where the page of a finished investigation is."""
        return self._folder / job.job_id / PAGE

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Investigate what is submitted while the block runs, and what an earlier one left."""
        self._restore()
        workers = [asyncio.create_task(self._work()) for _ in range(self._at_once)]
        try:
            yield
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def _restore(self) -> None:
        """Take up the investigations of an earlier server: what is not finished waits again."""
        for job_id, kept in read_jobs(self._folder):
            if job_id in self._jobs:
                continue
            job = Job(job_id, kept.article, message=kept.message)
            if kept.message:
                job.state = _ended_badly(kept.message)
            elif self.page_of(job).exists():
                job.state = "done"
            elif self._waiting.full():
                job.state, job.message = "failed", "The queue was full at the restart."
            else:
                self._waiting.put_nowait(job)
            self._jobs[job_id] = job

    def _save(self, job: Job) -> None:
        make_folder(self._folder)
        kept = JobFile(article=job.article, message=job.message)
        atomic_write(self._folder / f"{job.job_id}.json", kept.model_dump_json())

    async def _work(self) -> None:
        while True:
            job = await self._waiting.get()
            if job.ended:  # cancelled while it waited
                continue
            job.state = "running"
            self._tell_all()
            # A task of its own, so that an error nobody foresaw ends the job and not the desk.
            job.work = task = asyncio.create_task(self._investigate(job))
            try:
                _, late = await asyncio.wait([task], timeout=self._limit_s)
            except asyncio.CancelledError:
                task.cancel()
                raise
            if late:
                job.message = f"The investigation took longer than {self._limit_s:.0f} seconds."
                task.cancel()
                await asyncio.wait([task])
            job.work = None
            error = None if task.cancelled() else task.exception()
            if isinstance(error, SidelightError):
                job.message = error.message
            elif error is not None:
                _logger.error("investigation %s failed", job.job_id, exc_info=error)
                job.message = "The investigation failed; the server's log says why."
            job.state = _ended_badly(job.message) if job.message else "done"
            if job.message:
                self._save(job)
            job.tell()
            self._forget()

    async def _investigate(self, job: Job) -> None:
        here = asyncio.get_running_loop()
        run = RunDirectory(self._folder / job.job_id, self._settings.plugins())

        def begin(_topic_id: str, step: str) -> None:
            here.call_soon_threadsafe(self._begin, job, step)

        def end(_topic_id: str, result: object) -> None:
            here.call_soon_threadsafe(self._end, job, result)

        async def work(investigate: Investigate) -> RunSummary:
            return await run_topics(
                [job.article],
                self._settings,
                self._index_fingerprint,
                lambda: nullcontext(investigate),
                run.path,
                on_step=begin,
                on_result=end,
            )

        summary = await self._worker.perform(work)
        if summary.failures:
            job.message = summary.failures[0].message
            return
        await asyncio.to_thread(_write_page, run, self._texts)

    @staticmethod
    def _begin(job: Job, step: str) -> None:
        job.steps.append(step)
        job.tell()

    @staticmethod
    def _end(job: Job, result: object) -> None:
        if job.news.take(result):
            job.tell()

    def _tell_all(self) -> None:
        for job in self._jobs.values():
            if not job.ended:
                job.tell()

    def _forget(self) -> None:
        """Remove the oldest finished investigations beyond those that are kept."""
        ended = [job for job in self._jobs.values() if job.ended]
        for job in ended[: -self._kept]:
            del self._jobs[job.job_id]
            (self._folder / f"{job.job_id}.json").unlink(missing_ok=True)
            shutil.rmtree(self._folder / job.job_id, ignore_errors=True)


def _write_page(run: RunDirectory, texts: object) -> None:
    """Write the page of a finished run, the last of an investigation's work."""
    atomic_write(run.path / PAGE, render_page(collect_page(finished_run(run, texts), {}, [])))
    # What the investigation used goes back to the system; glibc would keep it for its threads.
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
