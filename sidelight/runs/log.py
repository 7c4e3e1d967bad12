"""Log of a run: calls, time per step, and steps that fell back to the extractive performer.

Nothing here decides anything. Times and cache hits differ from call to call of the same run, so
they stay out of the files that a rerun must reproduce.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from sidelight.errors import FailedQueryError, ReplyError, SidelightError
from sidelight.schemas.base import Value
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.llm.prompted import CallRecord

P = ParamSpec("P")
T = TypeVar("T")


SEARCH = "search"
"""The step of searches; nobody steps in for those that an index server failed on."""


class Fallback(Value):
    """A step, or a part of it, that was done without its model, which gave no usable answer."""

    step: str
    error: str
    message: str


def told_fallbacks(by_topic: Mapping[str, Sequence[str]]) -> list[str]:
    """Say on how many topics each step was done without the model, and searches not at all."""
    counts = Counter(step for steps in by_topic.values() for step in {*steps})
    told = []
    if lost := counts.pop(SEARCH, 0):
        told = [
            f"searches failed on the index server and found nothing on {counted(lost, 'topic')}"
        ]
    if steps := ", ".join(f"{step} {counts[step]}" for step in sorted(counts)):
        told.append(f"steps ran without the model, whose replies were unusable; topics: {steps}")
    return told


class TopicLog:
    """Events of the work on one topic: its calls, fallbacks, and seconds by step.

    `on_call` gets every call when it has ended, `on_step` the name of every step when it begins (of
    a search, on the thread that searches), and `on_result` the name and the result of every step.
    `seconds` adds up repeated steps, and searches, which go on side by side.
    """

    def __init__(
        self,
        on_call: Callable[[CallRecord], None] = lambda _: None,
        on_step: Callable[[str], None] = lambda _: None,
        on_result: Callable[[str, object], None] = lambda _step, _result: None,
    ) -> None:
        self.calls: list[CallRecord] = []
        self.fallbacks: list[Fallback] = []
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._lock = Lock()
        self._on_call = on_call
        self._on_step = on_step
        self._on_result = on_result

    def record(self, call: CallRecord) -> None:
        """Take note of a call."""
        self.calls.append(call)
        self._on_call(call)

    def lost_search(self, error: FailedQueryError) -> None:
        """Take note of searches that an index server failed on, and that found nothing."""
        self._note(SEARCH, error)

    def _note(self, step: str, error: SidelightError) -> None:
        name = type(error).__name__
        self.fallbacks.append(Fallback(step=step, error=name, message=error.message))

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Begin the step of a search, and add the time that it takes, from any thread."""
        self._on_step(SEARCH)
        with self.timing(SEARCH):
            yield

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Add the time that something takes to its step's, from any thread."""
        started = perf_counter()
        try:
            yield
        finally:
            with self._lock:
                self.seconds[step] += perf_counter() - started

    def timed(
        self, step: str, perform: Callable[P, Coroutine[Any, Any, T]]
    ) -> Callable[P, Coroutine[Any, Any, T]]:
        """Return a performer that adds its time to its step's."""

        async def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            self._on_step(step)
            with self.timing(step):
                result = await perform(*args, **kwargs)
            self._on_result(step, result)
            return result

        return timed

    def instead(self, step: str, plain: T) -> Callable[[ReplyError], T]:
        """Return what takes note of a model's failure, and returns who steps in for it."""

        def noted(error: ReplyError) -> T:
            self._note(step, error)
            return plain

        return noted


def with_fallback(
    perform: Callable[P, Coroutine[Any, Any, T]],
    instead: Callable[[ReplyError], Callable[P, Coroutine[Any, Any, T]]],
) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a performer that does a step another way where a model's replies are no use."""

    async def performed(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await perform(*args, **kwargs)
        except ReplyError as error:
            plain = instead(error)
        return await plain(*args, **kwargs)

    return performed


@dataclass(slots=True)
class PromptUsage:
    """Total usage of the calls of one prompt; cached ones add no tokens and no seconds.

    Attributes:
        calls: Calls, replayed ones included.
        cached: Calls that a cache answered.
        latency_s: Seconds waited for replies, added up over calls made at the same time.
        failures: By kind, replies that could not be used.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_s: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: PromptUsage) -> PromptUsage:
        """Return what the calls of two prompts came to."""
        names = [one.name for one in fields(self)]
        return PromptUsage(*(getattr(self, name) + getattr(other, name) for name in names))


def usage_by_prompt(calls: Iterable[CallRecord]) -> dict[tuple[str, str], PromptUsage]:
    """Add calls up by model and prompt id, sorted."""
    usage: dict[tuple[str, str], PromptUsage] = {}
    for call in calls:
        sums = usage.setdefault((call.model, call.prompt_id), PromptUsage())
        sums.calls += 1
        sums.cached += call.cached
        if not call.cached:
            sums.prompt_tokens += call.prompt_tokens or 0
            sums.completion_tokens += call.completion_tokens or 0
            sums.latency_s += call.latency_s
        if call.failure is not None:
            sums.failures[call.failure] += 1
    return {key: usage[key] for key in sorted(usage)}
