"""What sidelight does with a model server that is real: vLLM without a GPU, or any other one.

Run with: make live  (or with URL=http://HOST:PORT/v1 MODEL=NAME [KEY_VARIABLE=VARIABLE])

Without a URL a small model with random weights is served, so every answer is nonsense: what counts
is that answers fit their schemas, that files are valid, and that the server goes when it should.
It is not named `bench_live.py` because `make bench` would then run it: it needs a server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import sidelight.wiring.models as build_models
from benchmarks.live_report import Heard, Report
from benchmarks.own_server import ARGUMENTS, OwnServer, left_over, of_other_sessions
from benchmarks.random_model import write_random_model
from benchmarks.record import write_results
from benchmarks.server_metrics import PromptTokens, ask_metrics
from sidelight.config.settings import Settings
from sidelight.errors import ReplyError, TruncatedReplyError
from sidelight.evaluation.labelling.judge import RubricCase
from sidelight.evaluation.labelling.judges import PromptedJudge
from sidelight.evaluation.labelling.rubric_cases import QUESTION_SIMILARITY
from sidelight.evaluation.labelling.rubric_labels import GridVerdict, ListVerdict, PairVerdict
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.runs.question_list import read_question_run
from sidelight.formats.topics import read_articles
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.folder import open_folder
from sidelight.index.text.corpus import read_documents, write_segments
from sidelight.llm.base import JsonSchema, Message, Request
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.llm.server.openai_compat import (
    DEFAULT_KEY_VARIABLE,
    Mammal,
    OpenAICompatModel,
    probe,
    without_password,
)
from sidelight.llm.structured import Call, ask
from sidelight.sample import sample_path
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import make_run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.llm.base import Reply
    from sidelight.llm.prompted import CallRecord
    from sidelight.schemas.base import Value

N_ANSWERS, ANSWER_TOKENS = 32, 1024
N_CANDIDATES = 5  # of each topic: with five topics of eight targets, 200 pairs
JUDGED_RUN = "tidepool-t1"
LABEL_TOKENS, AT_ONCE = 256, 256  # as many at once as `sidelight judge` asks
WRITER = {"max_tokens": ANSWER_TOKENS, "temperature": 1.0, "seed": None}
"""How the random model is asked in a run: greedy, it repeats itself up to the limit.

vLLM 0.32 on a processor ends with an error where it samples with a seed and reads a prompt in parts
("CPU Generator does not use offset").
"""


class Server(NamedTuple):
    """Where a model is asked."""

    url: str
    model: str
    key_variable: str = DEFAULT_KEY_VARIABLE

    def client(self) -> OpenAICompatModel:
        """Open a client of it."""
        return OpenAICompatModel(
            self.model, self.url, api_key_variable=self.key_variable, max_concurrency=AT_ONCE
        )


class Listening(OpenAICompatModel):
    """The client of a run, which also takes note of what the server answers."""

    heard = Heard()
    tokens = PromptTokens()
    server_processes: frozenset[Any] = frozenset()

    async def complete(self, request: Request) -> Reply:
        """Ask, and take note."""
        kind = type(self)
        kind.server_processes |= of_other_sessions(os.getpid())
        assert request.json_schema is not None
        try:
            reply = await super().complete(request)
        except ReplyError as error:
            cut = isinstance(error, TruncatedReplyError)
            kind.heard.outcomes["cut" if cut else type(error).__name__] += 1
            raise
        finally:
            kind.tokens = await asyncio.to_thread(ask_metrics, self._base_url) or kind.tokens
        kind.heard.take(request.json_schema, reply.text)
        return reply


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def investigate(
    report: Report, model: str, server: dict[str, Any], folder: Path, **writer: Any
) -> None:
    """Run one topic of the mini web through the whole graph, every step with the model."""
    data = sample_path()
    segments, index = folder / "segments.jsonl", folder / "index"
    write_segments(segments, read_documents(data / "documents.jsonl"), lambda _: None)
    build_index([segments], index, Encoder())
    settings = Settings.model_validate(
        {
            "submission": {"run_id": "sidelight-live"},
            "retrieval": {"retriever": "bm25"},
            "roles": {"default": "prompted"},
            "models": {"writer": {"name": model, **writer}},
            "servers": {"default": server},
        }
    )
    said: list[str] = []
    access = ModelAccess(cache=folder / "cache", on_progress=said.append)
    articles = read_articles(data / "topics.jsonl")[:1]
    known = ask_metrics(server.get("base_url", "")) if "base_url" in server else None
    started = time.monotonic()
    with patch.object(build_models, "OpenAICompatModel", Listening):
        summary = make_run(articles, settings, open_folder(index), folder / "run", access)
    seconds = time.monotonic() - started
    if "start" in server:
        report.check("start: vllm, progress", f"{len(said)} lines while it started", ok=bool(said))
        report_gone(report, "start: vllm, end", Listening.server_processes)
    usage = summary.usage().values()
    calls, written = sum(one.calls for one in usage), sum(one.completion_tokens for one in usage)
    report.check(
        "one topic, all files valid",
        f"{len(summary.files)} files, {calls} calls, {written:,} tokens written, {seconds:.0f} s"
        f"{' with the start' if 'start' in server else ''}; {load()}",
        ok=summary.succeeded and len(summary.files) == len(load_track().tasks),
    )
    for (_, prompt), one in sorted(summary.usage().items()):
        failures = ", ".join(f"{n} {kind}" for kind, n in sorted(one.failures.items()))
        report.note(f"  {prompt}", f"{one.calls} calls; no use: {failures or 'none'}")
    for steps in summary.fallbacks.values():
        named = ", ".join(f"{step} {n}" for step, n in sorted(Counter(steps).items()))
        report.note("  steps without the model", named)
    Listening.heard.report(report, "one topic, schemas")
    if Listening.tokens.read:
        report.note("one topic, prefix cache", Listening.tokens.since(known or PromptTokens()))


def report_gone(report: Report, name: str, processes: Iterable[Any]) -> None:
    processes = set(processes)
    left = left_over(processes)
    report.check(
        name,
        f"{len(processes)} processes, {len(left)} left",
        ok=bool(processes) and not left,
    )


def ask_doctor(report: Report, server: Server) -> None:
    """Ask what `sidelight doctor --model` asks."""
    for check in asyncio.run(probe(server.model, server.url, server.key_variable)):
        found = check.found.replace(server.model, "the model").replace(server.url, "its address")
        report.check(f"doctor, {check.name}", found, ok=check.ok)


def obey_schemas(report: Report, server: Server) -> None:
    """Ask for answers of several types, none the same."""
    heard = Heard()
    kinds: tuple[type[Value], ...] = (Mammal, PairVerdict, ListVerdict, GridVerdict)

    async def one(client: OpenAICompatModel, number: int) -> None:
        kind = kinds[number % len(kinds)]
        request = Request(
            model=server.model,
            messages=(Message(role="user", content=f"Answer by the schema, case {number}."),),
            json_schema=JsonSchema(name=kind.__name__, schema=kind.model_json_schema()),
            temperature=1.0,
            max_tokens=ANSWER_TOKENS,
            seed=None,
        )
        try:
            reply = await client.complete(request)
        except TruncatedReplyError:
            heard.outcomes["cut"] += 1
        except ReplyError as error:
            heard.outcomes[type(error).__name__] += 1
        else:
            heard.take(JsonSchema(name=kind.__name__, schema=kind.model_json_schema()), reply.text)

    async def every() -> None:
        async with server.client() as client:
            await asyncio.gather(*(one(client, number) for number in range(N_ANSWERS)))

    asyncio.run(every())
    heard.report(report, "schemas, four types")


def cut_short(report: Report, server: Server) -> None:
    """Allow too few tokens, once and in a question that gets one more turn."""
    calls: list[Call] = []
    request = Request(
        model=server.model,
        messages=(Message(role="user", content="Count to a hundred."),),
        max_tokens=2,
    )

    async def both() -> tuple[ReplyError | None, ReplyError | None]:
        first = second = None
        async with server.client() as client:
            try:
                await client.complete(request)
            except ReplyError as error:
                first = error
            try:
                await ask(client, request, PairVerdict, on_call=calls.append)
            except ReplyError as error:
                second = error
        return first, second

    first, second = asyncio.run(both())
    report.check("truncation", _named(first), ok=isinstance(first, TruncatedReplyError))
    allowed = [call.request.max_tokens for call in calls]
    usage = second.usage if second else None
    report.check(
        "truncation, one more turn",
        f"{allowed} tokens allowed; {_named(second)}; "
        f"{usage.completion_tokens if usage else 'no'} tokens written by both",
        ok=isinstance(second, TruncatedReplyError) and allowed == [2, 4] and usage is not None,
    )


def _named(error: ReplyError | None) -> str:
    return f"{type(error).__name__}: {error.message}" if error else "no error"


def judge_pairs(report: Report, server: Server, name: str) -> None:
    """Ask about pairs of questions, one call for each, as `sidelight judge` does."""
    data, track = sample_path(), load_track()
    articles = {one.topic_id: one for one in read_articles(data / "topics.jsonl")}
    rubrics = read_rubrics(data / "human_rubrics", track.scales)
    run = read_question_run(data / "runs/question_generation_runs" / JUDGED_RUN)
    calls: list[CallRecord] = []

    async def judged() -> list[Any]:
        async with server.client() as client:
            sampling = Sampling(max_tokens=LABEL_TOKENS)
            asked = PromptedModel(client, sampling, calls.append)
            judge = PromptedJudge({server.model: asked}, articles)
            cases = (
                RubricCase(
                    rubric,
                    [one for one in run.questions if one.topic_id == topic_id][:N_CANDIDATES],
                )
                for topic_id, rubric in rubrics.items()
            )
            labelled = (judge.label(QUESTION_SIMILARITY, case) for case in cases)
            return [one.label for labels in await asyncio.gather(*labelled) for one in labels]

    before = ask_metrics(server.url)
    started = time.monotonic()
    labels = asyncio.run(judged())
    seconds = time.monotonic() - started
    after = ask_metrics(server.url)
    unjudged = sum(isinstance(label, Unjudged) for label in labels)
    latency = statistics.median(call.latency_s for call in calls)
    cut = sum(call.failure == "truncated" for call in calls)
    other = Counter(call.failure for call in calls if call.failure not in {None, "truncated"})
    report.check(
        name,
        f"{len(labels)} pairs in {seconds:.1f} s, {len(calls)} calls ({cut} cut short"
        f"{''.join(f', {n} {kind}' for kind, n in other.items())}), {unjudged} unjudged, "
        f"median {latency:.1f} s a call; {load()}",
        ok=unjudged < len(labels) and not other,
    )
    if before and after:
        report.note("", after.since(before))


def look_at(report: Report, server: Server) -> None:
    """Ask a server all that needs no run."""
    ask_doctor(report, server)
    obey_schemas(report, server)
    cut_short(report, server)


def of_own(report: Report, folder: Path) -> None:
    """Start servers of one's own, use and end them."""
    model = folder / "model"
    write_random_model(model)
    name = str(model)
    start = {"start": "vllm", "arguments": ARGUMENTS, "max_concurrency": 32}
    investigate(report, name, start, folder, **WRITER)
    with OwnServer(model, folder / "off.log", prefix_caching=False) as own:
        report.check("server, health", f"after {own.start_s:.0f} s; {load()}", ok=own.healthy())
        judge_pairs(report, Server(own.url, name), "judging, cache off")
        left = own.end()
        found = f"{len(own.processes)} processes, {len(left)} left"
        report.check("server, end", found, ok=not left)
    with OwnServer(model, folder / "on.log", prefix_caching=True) as own:
        server = Server(own.url, name)
        report.note("server", version(own.url))
        judge_pairs(report, server, "judging, cache on")
        look_at(report, server)
        left = own.kill()
        found = f"{len(own.processes)} processes, {len(left)} left"
        report.check("server, kill -9 of sidelight", found, ok=not left)


def of_others(report: Report, server: Server, folder: Path) -> None:
    """Use a server that runs."""
    look_at(report, server)
    given = {"base_url": server.url, "api_key_variable": server.key_variable}
    investigate(report, server.model, given, folder)
    judge_pairs(report, server, "judging")


def version(url: str) -> str:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/version") as response:
        return f"vLLM {json.load(response)['version']}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", help="where the API of a server that runs begins")
    parser.add_argument("--model", help="the name under which it serves the model")
    parser.add_argument(
        "--key-variable", default=DEFAULT_KEY_VARIABLE, help="environment variable with its key"
    )
    given = parser.parse_args()
    if bool(given.url) != bool(given.model):
        parser.error("--url and --model need each other")
    return given


def main() -> None:
    given = arguments()
    report = Report()
    started = time.monotonic()
    report.note("at the start", load())
    with tempfile.TemporaryDirectory() as name:
        if given.url:
            of_others(report, Server(given.url, given.model, given.key_variable), Path(name))
            workload = f"{given.model} at {without_password(given.url)}"
        else:
            of_own(report, Path(name))
            workload = "a Qwen2 of two layers with random weights, one token a byte; no GPU"
    report.note("all of it", f"{time.monotonic() - started:.0f} s, without what was installed")
    write_results("live", workload, report.lines)
    sys.exit(report.failed)


if __name__ == "__main__":
    main()
