"""Worker thread for investigations, so that they never block the server."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType

    from sidelight.runs.runner import Investigate

T = TypeVar("T")


class Worker:
    """Holds what investigations need open, in an event loop of its own; a context manager.

    Args:
        start: Opens it.

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
