"""What judging asks of a model: noted, asked again one by one, or counted by a simulated server."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from openai import OpenAI

from benchmarks.prefix_cache import PrefixCache
from sidelight.errors import FailedCallError
from sidelight.llm.cache import CachedModel
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.llm.server.openai_compat import OpenAICompatModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sidelight.llm.base import Reply, Request
    from sidelight.prompting import Prompt


class KeepsRequests:
    """A model that takes note of what it is asked and passes it on."""

    def __init__(self, model: CachedModel) -> None:
        self.name = model.name
        self.requests: list[Request] = []
        self._model = model

    async def complete(self, request: Request) -> Reply:
        """Pass a request on."""
        self.requests.append(request)
        return await self._model.complete(request)


@asynccontextmanager
async def noted(base_url: str, at_once: int) -> AsyncIterator[tuple[PromptedModel, list[Request]]]:
    """Yield a model of a server, its replies kept in a new folder, and all that it is asked."""
    with tempfile.TemporaryDirectory() as folder:
        async with OpenAICompatModel("tiny", base_url, max_concurrency=at_once) as client:
            with CachedModel(client, Path(folder)) as cached:
                model = KeepsRequests(cached)
                yield PromptedModel(model, Sampling(), lambda _: None), model.requests


def ask_one_by_one(requests: list[Request], base_url: str) -> None:
    """Ask as the organizers' script and the RUBRIC workbench do."""
    client = OpenAI(base_url=base_url, api_key="none")
    for request in requests:
        assert request.json_schema is not None
        client.chat.completions.create(
            model=request.model,
            messages=[message.model_dump() for message in request.messages],
            response_format={
                "type": "json_schema",
                "json_schema": request.json_schema.model_dump(by_alias=True),
            },
            temperature=0,
            top_p=1,
        )
    client.close()


class SimulatedServer(PromptedModel):
    """Counts by prompt what a server with a prefix cache computes; it answers nothing.

    Args:
        at_once: Prompts that it works on together.
        reordered: What becomes of the part of a prompt that the user says.
    """

    def __init__(self, at_once: int, reordered: Callable[[str], str] = str) -> None:
        self.calls: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.computed: Counter[str] = Counter()
        self._reordered = reordered
        self._slots = asyncio.Semaphore(at_once)
        self._cache = PrefixCache()

    async def answer(self, prompt: Prompt, _kind: object, /, **values: object) -> NoReturn:
        """Count a prompt, and raise."""
        values.pop("check")
        values.pop("ids", None)
        system, user = prompt.render(**values)
        async with self._slots:
            known = self._cache.look_up(f"{system}\n{self._reordered(user)}")
            self.calls[prompt.id] += 1
            self.tokens[prompt.id] += known.tokens
            self.computed[prompt.id] += known.computed
            await asyncio.sleep(0)  # whoever comes now finds nothing of it computed
            self._cache.keep(known)
        raise FailedCallError("nothing was asked")
