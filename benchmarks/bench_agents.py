"""How close a run with a model comes to the time its calls need, and what its prompts share.

Run with: python -m benchmarks.bench_agents

The 30 public topics, every role asking a model, BM25 over the articles themselves (a topic never
finds its own). The model server is a process of its own, answers after 200 ms and is asked 64 calls
at once at most. Starting the JVM and loading the encoder and the graph's library come before the
clock starts, and so does the first of the runs: in it the server makes its answers up, on one of
the two cores, and knows them later. More runs ask a server that takes 2 s, as a large model does.

1. Wall time against its bound, the larger of
   - calls of the run x latency / slots: no schedule is faster with so many slots; calls that the
     cache answers, of topics or sentences that ask the same, do not count;
   - of any topic: its longest chain of calls that each wait for the one before x latency, plus its
     own work, the time in which it waits for no call. Both are seen when the topic has the machine
     and any number of slots to itself. Questions and report are written side by side, so a chain
     goes through one of them.
2. The same calls one after another: calls x latency, and calls x the time of one when a topic runs
   with a single slot.
3. What share of a topic's prompts a server with a prefix cache need not compute.
"""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from unittest.mock import patch

from benchmarks.data import shared_data
from benchmarks.prefix_cache import PrefixCache
from benchmarks.record import Figure, write_results
from sidelight.agents.investigation import build_graph
from sidelight.config.settings import Settings
from sidelight.formats.topics import read_articles
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import DEFAULT_ENCODER, Encoder
from sidelight.index.folder import open_index
from sidelight.index.text.corpus import write_segments
from sidelight.llm.server.openai_compat import OpenAICompatModel
from sidelight.retrieval.first_stage import open_retriever
from sidelight.runs.log import TopicLog
from sidelight.runs.runner import RunSummary, run_topics
from sidelight.schemas.investigation.evidence import Query
from sidelight.wiring import models as build_models
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import open_investigation, open_sources
from tests.helpers.models.fault_server import FaultServer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.index.folder import IndexFolder
    from sidelight.llm.base import Reply, Request
    from sidelight.llm.prompted import CallRecord
    from sidelight.schemas.topic import Article

LATENCY_S, SLOW_LATENCY_S, SLOTS, PARALLEL = 0.2, 2.0, 64, 32
ROUNDS = 3  # the first of them is not counted
UNLIMITED = 10_000
OF_QUESTIONS = {"questions"}
OF_REPORT = {"report", "unclear", "check", "revise"}


class Waited(NamedTuple):
    """When a topic waited for one call, in seconds of the clock."""

    prompt_id: str
    start: float
    end: float


class Alone(NamedTuple):
    """A topic with the machine to itself."""

    chain: int
    own_s: float

    def bound_s(self, latency_s: float) -> float:
        """Return the least time it takes."""
        return self.chain * latency_s + self.own_s


class Timed(NamedTuple):
    """A run of all topics: its time by the clock and the client's on all cores, in seconds."""

    wall_s: float
    processor_s: float
    summary: RunSummary

    def calls(self) -> int:
        """Return how many calls were made."""
        return sum(one.calls - one.cached for one in self.summary.usage().values())

    def replayed(self) -> int:
        """Return how many calls the cache answered."""
        return sum(one.cached for one in self.summary.usage().values())


def settings_for(slots: int) -> Settings:
    return Settings.model_validate(
        {
            "retrieval": {"retriever": "bm25"},
            "roles": {"default": "prompted"},
            "models": {"writer": {"name": "tiny"}},
            "servers": {"default": {"max_concurrency": slots}},
        }
    )


def index_articles(articles: Sequence[Article], folder: Path) -> IndexFolder:
    """Index what the articles say, and start all that an index starts when first used."""
    segments = folder / "segments.jsonl"
    write_segments(segments, articles, lambda _: None)
    build_index([segments], folder / "index", Encoder(DEFAULT_ENCODER))
    index = open_index(folder / "index")
    open_retriever("bm25", index, depth=1).search([Query(query_id="1", text="start")], 1)
    index.encoder.encode_queries(["start"])
    build_graph()
    return index


def run_all(articles: Sequence[Article], index: IndexFolder, base_url: str, out: Path) -> Timed:
    settings = settings_for(SLOTS)
    access = ModelAccess(cache=out / "cache", base_url=base_url)
    started, computed = time.perf_counter(), time.process_time()
    summary = asyncio.run(
        run_topics(
            articles,
            settings,
            index.manifest.plan.fingerprint(),
            lambda: open_investigation(settings, open_sources(settings.retrieval, index), access),
            out,
            parallel=PARALLEL,
        )
    )
    run = Timed(time.perf_counter() - started, time.process_time() - computed, summary)
    assert summary.succeeded
    assert not summary.fallbacks, summary.fallbacks  # else the work of another role is timed
    print(f"{run.wall_s:.2f} s, {run.processor_s:.2f} s of the processor", flush=True)
    return run


async def run_alone(
    articles: Iterable[Article], index: IndexFolder, base_url: str, slots: int
) -> list[tuple[list[Waited], float]]:
    """Investigate one topic after the other; return its calls and the wall time."""
    found = []
    with tempfile.TemporaryDirectory() as cache:
        access = ModelAccess(cache=Path(cache), base_url=base_url)
        settings = settings_for(slots)
        sources = open_sources(settings.retrieval, index)
        async with open_investigation(settings, sources, access) as investigate:
            for article in articles:
                waited: list[Waited] = []

                def note(call: CallRecord, waited: list[Waited] = waited) -> None:
                    now = time.perf_counter()
                    if not call.cached:
                        waited.append(Waited(call.prompt_id, now - call.latency_s, now))

                started = time.perf_counter()
                await investigate(article, TopicLog(note))
                found.append((waited, time.perf_counter() - started))
    return found


def critical_path(waited: Sequence[Waited], wall_s: float) -> Alone:
    branches = (
        [call for call in waited if call.prompt_id not in other]
        for other in (OF_QUESTIONS, OF_REPORT)
    )
    under_way = reached = 0.0
    for call in sorted(waited, key=lambda call: call.start):
        under_way += max(0.0, call.end - max(call.start, reached))
        reached = max(reached, call.end)
    return Alone(max(map(longest_chain, branches)), wall_s - under_way)


def longest_chain(waited: Iterable[Waited]) -> int:
    """Return how many calls one after another there are: of those still to come, the first to end.

    Nothing else keeps a topic that is alone from making them at once.
    """
    chain, free = 0, 0.0
    for call in sorted(waited, key=lambda call: call.end):
        if call.start >= free:
            chain += 1
            free = call.end
    return chain


class PrefixSharing(OpenAICompatModel):
    """Takes note of how much of each prompt a server would have known when it came."""

    cache = PrefixCache()
    tokens: ClassVar[Counter[str]] = Counter()
    computed: ClassVar[Counter[str]] = Counter()

    async def complete(self, request: Request) -> Reply:
        """Look a prompt up, have it answered and keep it."""
        prompt = self.cache.look_up("\n".join(message.content for message in request.messages))
        assert request.json_schema is not None
        self.tokens[request.json_schema.name] += prompt.tokens
        self.computed[request.json_schema.name] += prompt.computed
        reply = await super().complete(request)
        self.cache.keep(prompt)
        return reply


async def shared_prefixes(article: Article, index: IndexFolder, base_url: str) -> list[str]:
    with patch.object(build_models, "OpenAICompatModel", PrefixSharing):
        await run_alone([article], index, base_url, SLOTS)
    tokens, computed = PrefixSharing.tokens, PrefixSharing.computed
    lines = [f"{'answer':20} {'tokens':>9} {'computed':>9} {'shared':>7}"]
    lines += [
        f"{name:20} {tokens[name]:9,} {computed[name]:9,} {1 - computed[name] / tokens[name]:7.0%}"
        for name in tokens
    ]
    n_tokens, n_computed = tokens.total(), computed.total()
    return [
        *lines,
        f"{'all of a topic':20} {n_tokens:9,} {n_computed:9,} {1 - n_computed / n_tokens:7.0%}",
    ]


def against_bounds(
    runs: Sequence[Timed], alone: Sequence[Alone], latency_s: float
) -> tuple[list[str], list[Figure]]:
    calls, cores = runs[0].calls(), os.cpu_count() or 1
    slots_s = calls * latency_s / SLOTS
    topic = max(alone, key=lambda one: one.bound_s(latency_s))
    bound_s = max(slots_s, topic.bound_s(latency_s))
    best = min(run.wall_s for run in runs)
    processor_s = min(run.processor_s for run in runs)
    lines = [
        f"a server that takes {latency_s} s",
        f"  bound by slots: {calls} x {latency_s} / {SLOTS} = {slots_s:.2f} s",
        (
            f"  bound by the slowest topic: {topic.chain} x {latency_s} + {topic.own_s:.2f} of its"
            f" own = {topic.bound_s(latency_s):.2f} s"
        ),
        (
            f"  bound by the processor: {processor_s:.2f} s on {cores} cores ="
            f" {processor_s / cores:.2f} s; {1000 * processor_s / calls:.1f} ms a call"
        ),
        (
            f"  wall: {', '.join(f'{run.wall_s:.2f}' for run in runs)} s; the best is"
            f" {best / bound_s:.2f} of the bound by slots and topics,"
            f" {best / max(bound_s, processor_s / cores):.2f} of that by the processor too"
        ),
        (
            f"  one after another, by latency alone: {calls * latency_s:.0f} s,"
            f" {calls * latency_s / best:.0f} times the wall"
        ),
    ]
    return lines, [
        Figure(
            "processor time of a call and the work around it",
            round(1000 * processor_s / calls, 1),
            "ms",
        ),
        Figure(
            f"30 topics at {latency_s} s a call, of the bound by slots and topics",
            round(best / bound_s, 2),
            "x the bound",
        ),
    ]


def main() -> None:
    gc.set_threshold(100_000)  # as the command does
    articles = read_articles(shared_data("dragun-2025") / "dragun-2025" / "topics.jsonl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = index_articles(articles, folder)
        with FaultServer(latency_s=LATENCY_S) as server:
            url = server.base_url
            _, *runs = [run_all(articles, index, url, folder / str(n)) for n in range(ROUNDS)]
            alone = [
                critical_path(waited, wall_s)
                for waited, wall_s in asyncio.run(run_alone(articles, index, url, UNLIMITED))
            ]
            ((one_by_one, sample_s),) = asyncio.run(run_alone(articles[:1], index, url, 1))
            sharing = asyncio.run(shared_prefixes(articles[0], index, url))
        with FaultServer(latency_s=SLOW_LATENCY_S) as server:
            _, slow = [
                run_all(articles, index, server.base_url, folder / f"slow {n}") for n in (1, 2)
            ]
    best = min(run.wall_s for run in runs)
    sequential_s = sample_s / len(one_by_one) * runs[0].calls()
    lines, figures = against_bounds(runs, alone, LATENCY_S)
    lines = [
        f"calls: {runs[0].calls()}, and {runs[0].replayed()} answered by the cache",
        *lines,
        (
            f"  one after another, from {len(one_by_one)} calls with one slot:"
            f" {sequential_s:.0f} s, {sequential_s / best:.0f} times the wall"
        ),
        *against_bounds([slow], alone, SLOW_LATENCY_S)[0],
        *sharing,
    ]
    print(*lines, sep="\n")
    write_results("agents", f"30 public topics; {SLOTS} slots", lines, figures)


if __name__ == "__main__":
    main()
