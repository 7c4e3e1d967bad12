"""Runner of topics into a run directory: concurrent, resumable; failed topics are reported."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import orjson

from sidelight.config.settings import Settings
from sidelight.errors import MachineError, Problem, UsageError, UselessModelError
from sidelight.files import sha256_file
from sidelight.formats.runs.submission import Delivery, run_format
from sidelight.formats.table import to_frame
from sidelight.llm.base import FailureKind
from sidelight.llm.prompted import CallRecord
from sidelight.registry import part_at_fault
from sidelight.runs.directory import RunDirectory, TopicFailure, TopicResult, publish
from sidelight.runs.log import PromptUsage, TopicLog, usage_by_prompt
from sidelight.schemas.investigation.trace import Outcome
from sidelight.schemas.run import RunIdentity, RunManifest
from sidelight.schemas.task import CitedTextTask, Task
from sidelight.schemas.topic import Topic
from sidelight.text import budget_words, counted
from sidelight.tracks import Track, load_track
from sidelight.versions import VERSION, installed_versions

Investigate: TypeAlias = "Callable[[Topic, TopicLog], Awaitable[Outcome]]"
"""Works on one topic, and keeps a log of it."""


@dataclass(frozen=True, slots=True, repr=False)
class RunSummary:
    """Result of a call of `run_topics`.

    Attributes:
        done: Topics finished by this call.
        kept: Topics that were finished before.
        files: The runs, one for each task of the track.
        thin: Topics whose text is short for want of evidence.
        fallbacks: By topic, steps done without a model whose replies were no use, or `search`.
        logs: By topic, what happened during this call, for topics that failed too.
        problems: What the strict check says about the files, warnings included.
    """

    directory: RunDirectory
    done: tuple[str, ...]
    kept: tuple[str, ...]
    failures: tuple[TopicFailure, ...]
    files: tuple[Path, ...]
    thin: tuple[str, ...]
    fallbacks: Mapping[str, Sequence[str]]
    logs: dict[str, TopicLog]
    problems: tuple[Problem, ...]

    def __repr__(self) -> str:
        done, failed = len(self.done) + len(self.kept), len(self.failures)
        return f"<run in {self.directory.path}: {counted(done, 'topic')} done, {failed} failed>"

    def to_frame(self) -> Any:
        """Return what the run wrote as a `pandas.DataFrame`, a row a question or sentence."""
        rows: list[dict[str, object]] = []
        for topic_id in (*self.kept, *self.done):
            for task, result in self.directory.result(topic_id).results.items():
                for rank, one in enumerate(result, start=1):
                    text, cited = getattr(one, "text", one), getattr(one, "citations", ())
                    row = {"topic": topic_id, "task": task, "rank": rank, "text": text}
                    rows.append({**row, "citations": list(cited)})
        return to_frame(rows)

    @property
    def succeeded(self) -> bool:
        """Tell whether every topic is finished and all files are valid."""
        return not self.failures and all(item.severity != "error" for item in self.problems)

    def usage(self) -> dict[tuple[str, str], PromptUsage]:
        """Add up this call's model calls by model and prompt id."""
        return usage_by_prompt(call for log in self.logs.values() for call in log.calls)

    def seconds(self) -> dict[str, float]:
        """Add up, by step, how long this call's topics took; topics are worked on side by side."""
        steps: dict[str, float] = {}
        for log in self.logs.values():
            for step, seconds in log.seconds.items():
                steps[step] = steps.get(step, 0.0) + seconds
        return steps


async def run_topics(  # long: one transaction on a folder
    topics: Sequence[Topic],
    settings: Settings,
    index_fingerprint: str,
    start: Callable[[], AbstractAsyncContextManager[Investigate]],
    out: Path,
    *,
    only: Collection[str] = (),
    parallel: int = 4,
    on_topic: Callable[[str], None] = lambda _: None,
    on_step: Callable[[str, str], None] = lambda _topic_id, _step: None,
    on_result: Callable[[str, object], None] = lambda _topic_id, _result: None,
) -> RunSummary:
    """Finish every topic that is not finished yet, then make the run's files from all that are.

    Args:
        topics: All topics of the run, in the order of the files.
        settings: What the run depends on; recorded as `config.yaml`.
        index_fingerprint: Hash of the index; a folder made with another is refused.
        start: Holds what investigations need open; called only when there is something to do.
        out: The run directory.
        only: Work on these topics alone, if any; finished ones stay in the files.
        parallel: Topics worked on at once; the results do not depend on it.
        on_topic: Called with the id of each topic that this call ends, well or badly.
        on_step: Called with a topic's id and the name of a step when the step begins.
        on_result: Called with a topic's id and what came of a step when the step ends.
    """
    directory, track = RunDirectory(out), load_track(settings.track)
    with directory.locked():
        record_settings = directory.claim(settings)
        edited = directory.edited_traces()
        prints = {
            item.topic_id: _fingerprint(item, settings, track, index_fingerprint) for item in topics
        }
        if lost := sorted(directory.known_topics() - prints.keys()):
            raise UsageError(
                f"{out} holds a run with {counted(len(lost), 'topic')} that the ones given "
                f"lack, such as {lost[0]}: its files would lose them",
                remedy="Give all topics again (--topic ID works on some alone), or choose another "
                "folder with --output.",
            )
        results = {
            topic_id: result
            for topic_id, print_ in prints.items()
            if (result := directory.finished(topic_id, print_)) is not None
        }
        kept = tuple(results)
        todo = [
            topic
            for topic in topics
            if topic.topic_id not in results and (not only or topic.topic_id in only)
        ]
        failures: list[TopicFailure] = []
        logs: dict[str, TopicLog] = {}
        # Worked on before any reply could be used: kept, they would not be asked about again.
        held: list[TopicResult] = []

        outcomes: Counter[FailureKind | None] = Counter()  # of all calls

        def called(topic_id: str, call: CallRecord) -> None:
            directory.append_call(topic_id, call)
            # Calls under way when the run is stopped are not counted: the message says why it is.
            if outcomes[None] or outcomes.total() < _ENOUGH_CALLS:
                outcomes[call.failure] += 1
            _check_usable(outcomes, logs, _ENOUGH_CALLS)

        async def work(topic: Topic, investigate: Investigate) -> None:
            topic_id = topic.topic_id
            logs[topic_id] = log = TopicLog(
                partial(called, topic_id),
                partial(on_step, topic_id),
                lambda _step, result: on_result(topic_id, result),
            )
            ended = await _attempt(topic, track, prints[topic_id], investigate, log)
            if isinstance(ended, TopicFailure):
                failures.append(ended)
                directory.write_failures(failures)
            else:
                held.append(ended)
            while held and (outcomes[None] or not outcomes):
                directory.finish(one := held.pop())
                results[one.topic_id] = one
            on_topic(topic_id)

        if todo:
            async with start() as investigate:
                record_settings()
                await side_by_side(todo, lambda topic: work(topic, investigate), parallel)
                _check_usable(outcomes, logs)
        ordered = [results[item.topic_id] for item in topics if item.topic_id in results]
        order = {topic.topic_id: place for place, topic in enumerate(topics)}
        failures.sort(key=lambda failure: order[failure.topic_id])
        thin = tuple(result.topic_id for result in ordered if _is_thin(result, track))
        problems = [
            problem
            for task in track.tasks
            for problem in _write_file(directory, settings, task, ordered)
        ]
        directory.write_failures(failures)
        manifest = _manifest(
            directory, settings, track, index_fingerprint, ordered, thin, failures, edited
        )
        directory.publish_manifest(manifest)
        return RunSummary(
            directory=directory,
            done=tuple(result.topic_id for result in ordered if result.topic_id not in kept),
            kept=kept,
            failures=tuple(failures),
            files=tuple(directory.file(task) for task in track.tasks),
            thin=thin,
            fallbacks=manifest.fallbacks,
            logs=logs,
            problems=tuple(problems),
        )


T = TypeVar("T")
R = TypeVar("R")

_ENOUGH_CALLS = 24  # a model that gave no usable reply to so many gives none


def _check_usable(
    outcomes: Counter[FailureKind | None], logs: Mapping[str, TopicLog], enough: int = 1
) -> None:
    """Raise UselessModelError after `enough` calls if no reply to any of them could be used."""
    if outcomes[None] or outcomes.total() < enough:
        return
    kinds = ", ".join(f"{kind} {count}" for kind, count in outcomes.items())
    said = (f"; {one.step}: {one.message}" for log in logs.values() for one in log.fallbacks)
    raise UselessModelError(
        f"expected replies that can be used; found none in {counted(outcomes.total(), 'call')}: "
        f"{kinds}{next(said, '')}",
        remedy="Mend the server; the same command then goes on.",
    )


async def side_by_side(
    items: Sequence[T], work: Callable[[T], Awaitable[R]], parallel: int
) -> list[R]:
    """Work on some items concurrently; when one must stop, all others are stopped too."""
    limit = asyncio.Semaphore(parallel)

    async def within_limit(item: T) -> R:
        async with limit:
            return await work(item)

    tasks = [asyncio.create_task(within_limit(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _attempt(
    topic: Topic, track: Track, fingerprint: str, investigate: Investigate, log: TopicLog
) -> TopicResult | TopicFailure:
    try:
        outcome = await investigate(topic, log)
        results = {task.name: outcome.results[task.name].content for task in track.tasks}
    except (MachineError, UsageError):
        raise
    except Exception as error:  # one topic must not stop the others
        message = ": ".join(filter(None, (part_at_fault(error), str(error))))
        return TopicFailure(topic_id=topic.topic_id, error=type(error).__name__, message=message)
    return TopicResult(
        topic_id=topic.topic_id,
        fingerprint=fingerprint,
        topic=topic,
        evidence=outcome.evidence,
        results=results,
        fallbacks=tuple(sorted(log.fallbacks, key=lambda one: (one.step, one.message))),
        trace=outcome.trace,
    )


def _fingerprint(topic: Topic, settings: Settings, track: Track, index_fingerprint: str) -> str:
    parts = (
        VERSION,
        settings.fingerprint(),
        track.model_dump(mode="json"),
        index_fingerprint,
        topic.model_dump(),
    )
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _write_file(
    directory: RunDirectory, settings: Settings, task: Task, results: Sequence[TopicResult]
) -> list[Problem]:
    """Write the file of a task, and return what is wrong with it."""
    submission, kept_as, file = settings.submission, run_format(task), directory.file(task)
    identity = RunIdentity(
        team_id=submission.team_id,
        run_id=f"{submission.run_id}{task.run_id_suffix}",
        type=submission.type,
    )
    delivered = [Delivery(result.topic, result.result(task)) for result in results]
    publish(file, lambda path: kept_as.write(path, identity, delivered))
    return kept_as.check(file, task, [result.topic_id for result in results], None)


def _manifest(
    directory: RunDirectory,
    settings: Settings,
    track: Track,
    index_fingerprint: str,
    results: Sequence[TopicResult],
    thin: Sequence[str],
    failures: Sequence[TopicFailure],
    edited: Sequence[str],
) -> RunManifest:
    return RunManifest(
        sidelight=VERSION,
        packages=installed_versions(),
        track=settings.track,
        settings=settings.fingerprint(),
        index=index_fingerprint,
        topics=tuple(result.topic_id for result in results),
        thin_topics=tuple(thin),
        fallbacks={
            result.topic_id: tuple(dict.fromkeys(one.step for one in result.fallbacks))
            for result in results
            if result.fallbacks
        },
        failed_topics=tuple(failure.topic_id for failure in failures),
        edited=tuple(edited),
        files={
            path.relative_to(directory.path).as_posix(): sha256_file(path)
            for path in (
                directory.config,
                *(directory.file(task) for task in track.tasks),
                *(directory.trace(result.topic_id) for result in results),
            )
        },
    )


def _is_thin(result: TopicResult, track: Track) -> bool:
    """Tell whether a text of a topic is short for want of evidence."""
    return any(
        sum(budget_words(sentence.text) for sentence in result.result(task)) < task.thin_words
        for task in track.tasks
        if isinstance(task, CitedTextTask)
    )
