"""Topics in, a run directory out: concurrent, resumable, and honest about what failed."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import orjson

from sidelight.errors import MachineError, UsageError
from sidelight.files import sha256_file
from sidelight.formats.runs.cited_text import check_report_run, write_report_run
from sidelight.formats.runs.question_list import check_question_run, write_question_run
from sidelight.runs.directory import RunDirectory, TopicFailure, TopicResult, publish
from sidelight.runs.log import TopicLog, usage_by_prompt
from sidelight.schemas.question import QuestionSet
from sidelight.schemas.report import Report
from sidelight.schemas.run import ReportMetadata, SubmittedQuestion, SubmittedReport
from sidelight.schemas.run_manifest import RunManifest
from sidelight.text import budget_words
from sidelight.tracks import load_track
from sidelight.versions import VERSION, installed_versions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from sidelight.config.settings import Settings
    from sidelight.errors import Problem
    from sidelight.runs.log import PromptUsage
    from sidelight.schemas.article import Article
    from sidelight.schemas.outcome import Outcome
    from sidelight.tracks import Track

_THIN_WORDS = 100
Investigate: TypeAlias = "Callable[[Article, TopicLog], Awaitable[Outcome]]"
"""Works on one topic, and keeps a log of it."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a call of `run_topics` came to.

    Attributes:
        directory: Where the files are.
        done: Topics finished by this call.
        kept: Topics that were finished before.
        failures: Topics that could not be finished.
        thin: Topics whose report is short for want of evidence.
        fallbacks: By topic, steps done without a model whose replies were no use.
        logs: By topic, what happened during this call, for topics that failed too.
        problems: What the strict check says about the files, warnings included.
    """

    directory: RunDirectory
    done: tuple[str, ...]
    kept: tuple[str, ...]
    failures: tuple[TopicFailure, ...]
    thin: tuple[str, ...]
    fallbacks: Mapping[str, Sequence[str]]
    logs: dict[str, TopicLog]
    problems: tuple[Problem, ...]

    @property
    def succeeded(self) -> bool:
        """Tell whether every topic is finished and both files are valid."""
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


async def run_topics(
    articles: Sequence[Article],
    settings: Settings,
    index_fingerprint: str,
    start: Callable[[], AbstractAsyncContextManager[Investigate]],
    out: Path,
    *,
    only: str | None = None,
    parallel: int = 4,
    on_topic: Callable[[str], None] = lambda _: None,
    on_step: Callable[[str, str], None] = lambda _topic_id, _step: None,
) -> RunSummary:
    """Finish every topic that is not finished yet, then make the run's files from all that are.

    Args:
        articles: All topics of the run, in the order of the files.
        settings: What the run depends on; recorded as `config.yaml`.
        index_fingerprint: Hash of the index; a folder made with another is refused.
        start: Holds what investigations need open; called only when there is something to do.
        out: The run directory.
        only: Work on this topic alone; finished ones stay in the files.
        parallel: Topics worked on at once; the results do not depend on it.
        on_topic: Called with the id of each topic that this call ends, well or badly.
        on_step: Called with a topic's id and the name of a step when the step begins.

    Raises:
        UsageError: The folder is in use, or holds another run; or no more may be spent.
        MachineError: The machine cannot do the work. Neither this nor a spent budget marks a topic
            as failed: the same call goes on from there.
    """
    directory, track = RunDirectory(out), load_track(settings.track)
    with directory.locked():
        directory.claim(settings)
        edited = directory.edited_traces()
        prints = {
            item.topic_id: _fingerprint(item, settings, index_fingerprint) for item in articles
        }
        results = {
            topic_id: result
            for topic_id, print_ in prints.items()
            if (result := directory.finished(topic_id, print_)) is not None
        }
        kept = tuple(results)
        todo = [
            article
            for article in articles
            if article.topic_id not in results and only in {None, article.topic_id}
        ]
        failures: list[TopicFailure] = []
        logs: dict[str, TopicLog] = {}

        async def work(article: Article, investigate: Investigate) -> None:
            topic_id = article.topic_id
            logs[topic_id] = log = TopicLog(
                partial(directory.append_call, topic_id), partial(on_step, topic_id)
            )
            ended = await _attempt(article, track, prints[topic_id], investigate, log)
            if isinstance(ended, TopicResult):
                directory.finish(ended)
                results[topic_id] = ended
            else:
                failures.append(ended)
            on_topic(topic_id)

        if todo:
            async with start() as investigate:
                await _all(todo, lambda article: work(article, investigate), parallel)
        ordered = [results[item.topic_id] for item in articles if item.topic_id in results]
        order = {article.topic_id: place for place, article in enumerate(articles)}
        failures.sort(key=lambda failure: order[failure.topic_id])
        thin = tuple(result.topic_id for result in ordered if _words(result) < _THIN_WORDS)
        problems = _write_files(directory, settings, ordered)
        directory.write_failures(failures)
        manifest = _manifest(
            directory, settings, index_fingerprint, ordered, thin, failures, edited
        )
        directory.publish_manifest(manifest)
        return RunSummary(
            directory=directory,
            done=tuple(result.topic_id for result in ordered if result.topic_id not in kept),
            kept=kept,
            failures=tuple(failures),
            thin=thin,
            fallbacks=manifest.fallbacks,
            logs=logs,
            problems=tuple(problems),
        )


async def _all(
    articles: Sequence[Article], work: Callable[[Article], Awaitable[None]], parallel: int
) -> None:
    """Work on some topics at once; when one must stop, the others have stopped too."""
    limit = asyncio.Semaphore(parallel)

    async def within_limit(article: Article) -> None:
        async with limit:
            await work(article)

    tasks = [asyncio.create_task(within_limit(article)) for article in articles]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _attempt(
    article: Article, track: Track, fingerprint: str, investigate: Investigate, log: TopicLog
) -> TopicResult | TopicFailure:
    try:
        outcome = await investigate(article, log)
    except (MachineError, UsageError):
        raise
    except Exception as error:  # one topic must not stop the others
        return TopicFailure(
            topic_id=article.topic_id, error=type(error).__name__, message=str(error)
        )
    return TopicResult(
        topic_id=article.topic_id,
        fingerprint=fingerprint,
        article=article,
        evidence=outcome.evidence,
        questions=outcome.result(track.question_list.name, QuestionSet).questions,
        report=outcome.result(track.cited_text.name, Report).sentences,
        fallbacks=tuple(sorted(log.fallbacks, key=lambda fallback: fallback.step)),
        trace=outcome.trace,
    )


def _fingerprint(article: Article, settings: Settings, index_fingerprint: str) -> str:
    parts = (VERSION, settings.fingerprint(), index_fingerprint, article.model_dump())
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _write_files(
    directory: RunDirectory, settings: Settings, results: Sequence[TopicResult]
) -> list[Problem]:
    team_id, run_id = settings.submission.team_id, settings.submission.run_id
    questions = [
        SubmittedQuestion(
            topic_id=result.topic_id, team_id=team_id, run_id=f"{run_id}-t1", rank=rank, text=text
        )
        for result in results
        for rank, text in enumerate(result.questions, start=1)
    ]
    reports = [
        SubmittedReport(
            metadata=ReportMetadata(
                team_id=team_id,
                run_id=f"{run_id}-t2",
                topic_id=result.topic_id,
                type=settings.submission.type,
            ),
            responses=result.report,
        )
        for result in results
    ]
    publish(directory.task1, partial(write_question_run, questions=questions))
    publish(directory.task2, partial(write_report_run, reports=reports))
    track, topic_ids = load_track(settings.track), [result.topic_id for result in results]
    return [
        *check_question_run(directory.task1, track, topic_ids),
        *check_report_run(directory.task2, track, topic_ids),
    ]


def _manifest(
    directory: RunDirectory,
    settings: Settings,
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
            result.topic_id: tuple(fallback.step for fallback in result.fallbacks)
            for result in results
            if result.fallbacks
        },
        failed_topics=tuple(failure.topic_id for failure in failures),
        edited=tuple(edited),
        files={
            path.relative_to(directory.path).as_posix(): sha256_file(path)
            for path in (
                directory.config,
                directory.task1,
                directory.task2,
                *(directory.trace(result.topic_id) for result in results),
            )
        },
    )


def _words(result: TopicResult) -> int:
    return sum(budget_words(sentence.text) for sentence in result.report)
