"""Formats of run files: one record for each, found by its registered name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, overload

from sidelight.errors import InputError, UsageError
from sidelight.registry import load, names
from sidelight.schemas.run import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.schemas.run import CitedSentence, QuestionRun, ReportRun, RunIdentity, RunType
    from sidelight.schemas.task import CitedTextTask, QuestionListTask, Task
    from sidelight.schemas.topic import Topic

T = TypeVar("T", bound="Task")
R = TypeVar("R", bound=Result)
N = TypeVar("N", bound="Run")


class Delivery(NamedTuple, Generic[R]):
    """What a run holds on one topic.

    Attributes:
        topic: The topic, of which a file may repeat more than its id.
        result: Questions, sentences or hits, as the kind of the task has them.
    """

    topic: Topic
    result: R


class Run(Protocol):
    """A run file as read."""

    @property
    def run_tag(self) -> str:
        """What assessments call it."""
        ...

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The run ids inside, in order of appearance."""
        ...

    @property
    def types(self) -> frozenset[RunType]:
        """How the file says it was made; none where it does not say."""
        ...

    def results(self) -> Mapping[str, Result]:
        """Return what it holds on each topic, by id."""
        ...


@dataclass(frozen=True, slots=True)
class RunFormat(Generic[T, R, N]):
    """How the runs of one kind of task are kept in a file.

    Attributes:
        kind: The kind of tasks whose runs it holds.
        write: Writes a run, complete in one step; raises `InputError` for what no file can hold.
        read: Reads any run that can be understood, whatever a track would say to it; raises
            `InvalidFileError`.
        check: Returns all that is wrong with a run strictly: the file, the task, the topics it
            must cover, and the segments there are (None when that is not known).
        as_manual: Returns the content of a valid file, saying that a person had a hand in it where
            the format says such things.
        official: Returns what the track's own validator objects to; None where it has none.
        json_keys: All occur in such a file, even in a broken one; none where it is not JSON.
        fits_line: Tells whether most lines of such a file look like this one; None for JSON.
    """

    kind: str
    write: Callable[[Path, RunIdentity, Iterable[Delivery[R]]], None]
    read: Callable[[Path], N]
    check: Callable[[Path, T, Collection[str], Container[str] | None], list[Problem]]
    as_manual: Callable[[Path], bytes]
    official: Callable[[Path, T, Collection[str]], list[str]] | None = None
    json_keys: tuple[str, ...] = ()
    fits_line: Callable[[str], bool] | None = None


@overload
def run_format(task: QuestionListTask) -> RunFormat[Any, tuple[str, ...], QuestionRun]: ...
@overload
def run_format(task: CitedTextTask) -> RunFormat[Any, tuple[CitedSentence, ...], ReportRun]: ...
@overload
def run_format(task: Task) -> RunFormat[Any, Any, Run]: ...
def run_format(task: Task) -> RunFormat[Any, Any, Any]:
    """Return the format of a task's files.

    Raises:
        UsageError: It is not registered, or holds runs of tasks of another kind.
    """
    found: RunFormat[Any, Any, Any] = load("format", task.format)
    if found.kind != task.kind:
        raise UsageError(
            f"the task {task.name} is a {task.kind}; the format {task.format} holds runs of the "
            f"kind {found.kind}"
        )
    return found


def run_formats() -> dict[str, RunFormat[Any, Any, Run]]:
    """Return all registered formats by name."""
    return {name: load("format", name) for name in names("format")}


def reports_by_topic(
    runs: Iterable[ReportRun],
) -> dict[tuple[str, str], tuple[CitedSentence, ...]]:
    """Return the sentences of each report of some runs, by run tag and topic id.

    Raises:
        InputError: A run has two reports for a topic, or two runs share a tag.
    """
    reports: dict[tuple[str, str], tuple[CitedSentence, ...]] = {}
    tags: set[str] = set()
    for run in runs:
        if run.run_tag in tags:
            raise InputError(f"the run {run.run_tag} was given twice")
        tags.add(run.run_tag)
        for report in run.reports:
            key = (run.run_tag, report.metadata.topic_id)
            if key in reports:
                raise InputError(f"run {run.run_tag} has two reports for topic {key[1]}")
            reports[key] = report.responses
    return reports
