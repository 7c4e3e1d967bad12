"""Processor time that one model call costs the client, against the SDK used as its manual says.

A call: a prompt of twenty passages is rendered, cleaned and hashed, looked up in the cache, sent,
and its answer read, checked, kept and recorded. The peer fills the same text in by Jinja without
cleaning it, and asks `chat.completions.parse` for the same type; it keeps nothing. No two prompts
are equal. The server is a process of its own and answers at once.

Run with: python -m benchmarks.bench_model_call
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Template
from openai import AsyncOpenAI

from benchmarks.interleaved import Comparison
from benchmarks.mini_web_passages import mini_web_passages
from benchmarks.record import Figure, write_results
from sidelight.generation.prompted.select_evidence import READ_PROMPT, ReadClaims
from sidelight.llm.base import Budget, BudgetedModel
from sidelight.llm.cache import CachedModel
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.llm.server.openai_compat import OpenAICompatModel
from tests.helpers.models.fault_server import MODEL, FaultServer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CALLS, AT_ONCE, ROUNDS, PASSAGES = 100, 16, 3, 20


def main() -> None:
    prompts = [values(number) for number in range(CALLS)]
    ours: list[float] = []
    peer: list[float] = []
    with FaultServer() as server, tempfile.TemporaryDirectory() as name:
        for number in range(ROUNDS + 1):  # the first warms up
            ours.append(asyncio.run(by_us(server.base_url, Path(name, str(number)), prompts)))
            peer.append(asyncio.run(by_sdk(server.base_url, prompts)))
    compared = Comparison(
        f"processor time of {CALLS} calls, peer AsyncOpenAI.chat.completions.parse",
        ours[1:],
        peer[1:],
    )
    a_call = Figure("processor time of a call", round(1000 * min(ours[1:]) / CALLS, 2), "ms")
    characters = sum(len(str(READ_PROMPT.render(**one))) for one in prompts) // CALLS
    workload = (
        f"{CALLS} prompts of {characters} characters and {PASSAGES} passages, {AT_ONCE} at once"
    )
    figures = [
        compared,
        f"  a call: {a_call.value} ms; that of the SDK {1000 * min(peer[1:]) / CALLS:.2f} ms",
    ]
    print(*figures, sep="\n")
    write_results("model_call", workload, figures, [a_call])


def values(number: int) -> dict[str, object]:
    """Return what fills the prompt of one call."""
    texts = mini_web_passages()
    shown = islice(texts, number % 50, number % 50 + PASSAGES)
    windows = [
        {"key": f"E{place + 1}", "source": f"page {number} | {place}", "text": text}
        for place, text in enumerate(shown)
    ]
    return {**READ_PROMPT.example(), "windows": windows}


async def by_us(base_url: str, folder: Path, prompts: list[dict[str, object]]) -> float:
    async with OpenAICompatModel(MODEL, base_url, max_concurrency=AT_ONCE) as client:
        records: list[object] = []
        with CachedModel(BudgetedModel(client, Budget()), folder) as cached:
            model = PromptedModel(cached, Sampling(), records.append)
            spent = await measure(lambda one: model.answer(READ_PROMPT, ReadClaims, **one), prompts)
    assert len(records) >= CALLS
    return spent


async def by_sdk(base_url: str, prompts: list[dict[str, object]]) -> float:
    system, user = Template(READ_PROMPT.system), Template(READ_PROMPT.user)

    async def ask(one: dict[str, object]) -> None:
        reply = await client.chat.completions.parse(
            model=MODEL,
            messages=[
                {"role": "system", "content": system.render(one)},
                {"role": "user", "content": user.render(one)},
            ],
            response_format=ReadClaims,
        )
        assert reply.choices[0].message.parsed is not None

    async with AsyncOpenAI(base_url=base_url, api_key="none") as client:
        return await measure(ask, prompts)


async def measure(
    ask: Callable[[dict[str, object]], Awaitable[object]], prompts: list[dict[str, object]]
) -> float:
    """Return the processor time of asking all prompts, some at once, in seconds."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(prompt: dict[str, object]) -> None:
        async with slots:
            await ask(prompt)

    await ask({**prompts[0], "max_claims": 1})  # connections, templates and schemas
    started = time.process_time()
    await asyncio.gather(*map(one, prompts))
    return time.process_time() - started


if __name__ == "__main__":
    main()
