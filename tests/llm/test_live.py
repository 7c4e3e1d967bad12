"""Client and structured answers against a real server; a small model must pass them.

SIDELIGHT_LIVE_URL=http://localhost:8000/v1 SIDELIGHT_LIVE_MODEL=NAME pytest -m live
"""

import asyncio
from typing import Literal

import pytest

from sidelight.errors import ModelUnavailableError, TruncatedReplyError
from sidelight.llm.base import Message, Request
from sidelight.llm.cache import CachedModel
from sidelight.llm.server.openai_compat import OpenAICompatModel, probe
from sidelight.llm.structured import ask
from sidelight.schemas.base import Value
from tests.helpers.models.live_server import LiveServer

pytestmark = pytest.mark.live


class Judgment(Value):
    """Every kind of field that prompts here ask for."""

    reason: str
    label: Literal["yes", "no"]
    chance: float
    keys: tuple[Literal["E1", "E2"], ...]


def request(server: LiveServer, text: str, max_tokens: int = 2048) -> Request:
    message = Message(role="user", content=text)
    return Request(model=server.model, messages=(message,), max_tokens=max_tokens)


def test_the_server_passes_the_probe(live_server):
    checks = asyncio.run(probe(live_server.model, live_server.base_url, "OPENAI_API_KEY"))
    assert [check.name for check in checks if not check.ok] == []


def test_an_answer_of_a_type_with_its_cost(live_server):
    async def call():
        async with OpenAICompatModel(live_server.model, live_server.base_url) as model:
            return await ask(
                model, request(live_server, "Is rain wet? E1 says yes, E2 says so too."), Judgment
            )

    answer = asyncio.run(call())
    assert answer.value.reason
    reply = answer.calls[-1].reply
    assert reply.usage.prompt_tokens > 0
    assert reply.usage.completion_tokens > 0


def test_many_calls_at_once_all_come_back(live_server):
    async def call():
        async with OpenAICompatModel(live_server.model, live_server.base_url) as model:
            return await asyncio.gather(
                *(
                    model.complete(request(live_server, f"Say the number {number}."))
                    for number in range(16)
                )
            )

    assert all(reply.text for reply in asyncio.run(call()))


def test_a_reply_is_replayed_word_for_word(live_server, tmp_path):
    async def call():
        async with OpenAICompatModel(live_server.model, live_server.base_url) as model:
            with CachedModel(model, tmp_path) as cached:
                question = request(live_server, "Name a bird.")
                return await cached.complete(question), await cached.complete(question)

    first, second = asyncio.run(call())
    assert (second.text, second.cached) == (first.text, True)


def test_a_reply_cut_short_is_named_so(live_server):
    async def call():
        async with OpenAICompatModel(live_server.model, live_server.base_url) as model:
            with pytest.raises(TruncatedReplyError):
                await model.complete(request(live_server, "Count to a hundred.", max_tokens=2))

    asyncio.run(call())


def test_an_unknown_model_is_refused(live_server):
    async def call():
        name = "no-such-model"
        async with OpenAICompatModel(name, live_server.base_url) as model:
            unknown = request(live_server, "Anyone?").model_copy(update={"model": name})
            with pytest.raises(ModelUnavailableError):
                await model.complete(unknown)

    asyncio.run(call())
