"""The real client, answers and repair turns against a server that fails at random."""

import asyncio
import time
from typing import Literal

import pytest

from sidelight.errors import FailedCallError, ModelUnavailableError, ReplyError
from sidelight.llm.base import Message, Request
from sidelight.llm.server.openai_compat import OpenAICompatModel
from sidelight.llm.structured import Answer, Call, ask
from sidelight.schemas.base import Value
from tests.helpers.models.fault_server import FAULTS, MODEL, FaultServer

PROMPT = """Judge each segment for the angle.
<<<BEGIN segment E1>>>
The Harbour Gazette belongs to a shipping company. It was sold in 2019.
<<<END segment E1>>>
<<<BEGIN segment E2>>>
Fishermen landed less cod than in any year before.
<<<END segment E2>>>
"""


class Verdict(Value):
    evidence_key: str
    label: Literal["full", "partial", "none"]


class Verdicts(Value):
    verdicts: tuple[Verdict, ...]


def request(number: int = 0) -> Request:
    message = Message(role="user", content=f"{PROMPT}\nThis is request {number}.")
    return Request(model=MODEL, messages=(message,))


@pytest.fixture(autouse=True)
def quick_backoff(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.005)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


class Run:
    """Questions to one server, some at a time, each one answered or failed."""

    def __init__(self, server: FaultServer, n: int, *, at_once: int = 8, timeout_s: float = 5.0):
        self.calls: list[Call] = []
        self.outcomes: list[Answer[Verdicts] | ReplyError] = []
        self.retries = 0

        async def one(model: OpenAICompatModel, number: int) -> None:
            try:
                answer = await ask(model, request(number), Verdicts, known_keys, self.calls.append)
                self.outcomes.append(answer)
            except ReplyError as error:
                self.outcomes.append(error)

        async def run() -> None:
            async with OpenAICompatModel(
                MODEL, server.base_url, max_concurrency=at_once, timeout_s=timeout_s
            ) as model:
                await asyncio.gather(*(one(model, number) for number in range(n)))
                self.retries = model.retries

        asyncio.run(run())


def known_keys(verdicts: Verdicts) -> None:
    if {verdict.evidence_key for verdict in verdicts.verdicts} != {"E1", "E2"}:
        raise ValueError("judge E1 and E2")


def test_what_was_answered_is_never_asked_again():
    with FaultServer(faults=0.4, seed=1, hang_s=0.1) as server:
        run = Run(server, 200, at_once=32)
        stats = server.stats()
    assert set(stats.faults) == set(FAULTS)  # so many draws deal out each of them
    assert stats.answered_twice() == {}
    # Each request reached the server as a call of `ask`, as a retry, or not at all.
    assert stats.calls == len(run.calls) + run.retries
    answered = [outcome for outcome in run.outcomes if isinstance(outcome, Answer)]
    assert len(answered) == stats.answered.total()
    assert len(run.outcomes) == 200


def test_a_server_that_dies_in_the_middle_is_gone():
    async def call(server):
        async with OpenAICompatModel(MODEL, server.base_url) as model:
            await model.complete(request())
            task = asyncio.create_task(model.complete(request(1)))
            await asyncio.sleep(0.1)
            await asyncio.to_thread(server.stop)
            with pytest.raises(ModelUnavailableError, match="the connection to"):
                await task

    with FaultServer(latency_s=0.4) as server:
        asyncio.run(call(server))


def test_a_failed_call_leaves_the_client_fit_for_the_next():
    async def call(server):
        async with OpenAICompatModel(MODEL, server.base_url, timeout_s=0.05) as model:
            with pytest.raises(FailedCallError):
                await model.complete(request())
            assert model.retries == 3

    with FaultServer(faults=1, kinds=("hang",)) as server:
        asyncio.run(call(server))


@pytest.mark.slow
def test_sixty_four_calls_at_once():
    with FaultServer(latency_s=0.2) as server:
        started = time.monotonic()
        Run(server, 640, at_once=64)
        took = time.monotonic() - started
        stats = server.stats()
    # Ten rounds of 0.2 s, and the client's own 2 to 5 ms a call.
    assert took < 10
    assert stats.most_at_once == 64
