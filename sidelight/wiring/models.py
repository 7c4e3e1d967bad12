"""Wiring of models: servers, clients, budget and cache in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from sidelight.config.settings import ModelSettings, ServerSettings, Settings
from sidelight.errors import BudgetExhaustedError, ReplyError, UsageError, UselessModelError
from sidelight.llm.base import Budget, BudgetedModel, Model
from sidelight.llm.cache import CachedModel, OfflineModel
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.llm.server.capabilities import ALL, FILE
from sidelight.llm.server.openai_compat import OpenAICompatModel
from sidelight.llm.server.vllm import serve_vllm
from sidelight.schemas.base import faults

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """How a command may use models; no result depends on it.

    Attributes:
        cache: Folder in which replies are kept and looked up; the log of a started server goes
            there, too.
        offline: Whether asking a server is forbidden.
        base_url: Address of the server called `default`; goes before the settings'.
        budget: What all models together may be asked.
        on_progress: Told what a server that is being started is doing.
        clients: Those that were opened, for what they can tell afterwards.
    """

    cache: Path
    offline: bool = False
    base_url: str | None = None
    budget: Budget = field(default_factory=Budget)
    on_progress: Callable[[str], None] = lambda _: None
    clients: list[OpenAICompatModel] = field(default_factory=list, init=False)

    @property
    def retries(self) -> int:
        """Calls that clients had to make again."""
        return sum(client.retries for client in self.clients)

    @property
    def refusals(self) -> tuple[str, ...]:
        """What models take that do not take every request as it is, a sentence each."""
        return tuple(client.takes for client in self.clients if client.capabilities != ALL)


class Models:
    """The models of a run, each opened when first named, and shared by all that name it."""

    def __init__(self, settings: Settings, access: ModelAccess, stack: AsyncExitStack) -> None:
        self._servers = settings.servers
        self._access = access
        self._stack = stack
        self._open: dict[tuple[str, str], CachedModel] = {}

    async def named(self, settings: ModelSettings) -> Model:
        """Return a model, behind the run's cache and budget."""
        key = settings.server, settings.name
        if key not in self._open:
            asked = (
                OfflineModel(settings.name)
                if self._access.offline
                else BudgetedModel(await self._client(settings), self._access.budget)
            )
            cached = CachedModel(asked, self._access.cache)
            self._open[key] = self._stack.enter_context(cached)
        return self._open[key]

    async def settle(self) -> None:
        """Wait until the calls under way have ended and their replies are kept."""
        for model in self._open.values():
            await model.settle()

    async def _client(self, settings: ModelSettings) -> OpenAICompatModel:
        server = self._server(settings.server)
        client = OpenAICompatModel(
            settings.name,
            await self._address(settings, server),
            api_key_variable=server.api_key_variable,
            max_concurrency=server.max_concurrency,
            timeout_s=server.timeout_s,
            known=self._access.cache / FILE,
            on_learned=self._access.on_progress,
        )
        self._access.clients.append(client)
        return await self._stack.enter_async_context(client)

    def _server(self, name: str) -> ServerSettings:
        if name not in self._servers and name != "default":
            raise UsageError(
                f"the settings name a server {name!r} without its address",
                remedy=f"Add servers.{name}.base_url to the configuration.",
            )
        return self._servers.get(name, ServerSettings())

    async def _address(self, settings: ModelSettings, server: ServerSettings) -> str:
        name = settings.server
        given = self._access.base_url if name == "default" else None
        if address := given or server.base_url:
            return address
        if server.start == "vllm":
            running = serve_vllm(
                settings.name,
                self._access.cache / f"{name}.log",
                tensor_parallel_size=server.tensor_parallel,
                max_model_len=server.max_model_len,
                prefix_caching=server.prefix_caching,
                structured_outputs_backend=server.structured_output_backend,
                reasoning_parser=server.reasoning_parser,
                extra_arguments=server.arguments,
                progress=self._access.on_progress,
            )
            return await self._stack.enter_async_context(running)
        raise UsageError(
            f"no address is known for the server {name!r} of the model {settings.name!r}",
            remedy="Give one with --base-url http://HOST:PORT/v1, or in the configuration as "
            f"servers.{name}.base_url.",
        )


@asynccontextmanager
async def open_models(settings: Settings, access: ModelAccess) -> AsyncIterator[Models]:
    """Keep what the models of a run need open: connections, the cache, started servers.

    Where the budget ends a run, the calls that it still covered are waited for: they are paid for.
    An error that no reply could be used gets the servers' addresses.
    """
    async with AsyncExitStack() as stack:
        models = Models(settings, access, stack)
        try:
            yield models
        except BudgetExhaustedError:
            await models.settle()
            raise
        except UselessModelError as error:
            asked = ", ".join(map(str, access.clients))
            tests = "; ".join(f"sidelight doctor {one.named}" for one in access.clients)
            remedy = f"{error.remedy} To test it: {tests}"
            raise UselessModelError(f"{asked}: {error.message}", remedy=remedy) from error


def sampling(settings: ModelSettings) -> Sampling:
    """Return how a model picks its words."""
    effort = settings.reasoning_effort
    return Sampling(
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        seed=settings.seed,
        # YAML and --set read `none` as no value, so the API's "none" is called `disabled` there.
        reasoning_effort="none" if effort == "disabled" else effort,
    )


class AskedModels(NamedTuple):
    """Models, each of another name, that something will ask once opened, and their servers."""

    models: tuple[ModelSettings, ...] = ()
    servers: Mapping[str, ServerSettings] = MappingProxyType({})

    @property
    def at_once(self) -> int:
        """Calls under way at once to the server of the first model."""
        return self.servers.get(self.models[0].server, ServerSettings()).max_concurrency


def models_by_name(names: Sequence[str], at_once: int) -> AskedModels:
    """Return models of the server `default`, asked at temperature 0 and `at_once` calls at once."""
    if len(set(names)) < len(names):
        raise UsageError("--model names a model twice; each model has one vote")
    try:
        models = tuple(ModelSettings(name=name, temperature=0, top_p=1) for name in names)
    except ValidationError as error:
        raise UsageError(f"--model: {faults(error)}") from None
    return AskedModels(
        models,
        {"default": ServerSettings(max_concurrency=at_once)},
    )


async def answered(
    asked: Mapping[str, Awaitable[T]],
) -> tuple[dict[str, T], dict[str, ReplyError]]:
    """Return by item what was made of it, and why nothing was made of others.

    One bad reply costs its own item. What was said of the others, a cache keeps.
    """

    async def outcome(work: Awaitable[T]) -> T | ReplyError:
        try:
            return await work
        except ReplyError as error:
            return error

    ended = dict(zip(asked, await asyncio.gather(*map(outcome, asked.values())), strict=True))
    made = {name: one for name, one in ended.items() if not isinstance(one, ReplyError)}
    return made, {name: one for name, one in ended.items() if isinstance(one, ReplyError)}


async def ask(
    asked: AskedModels,
    access: ModelAccess,
    work: Callable[[Mapping[str, PromptedModel]], Awaitable[T]],
) -> T:
    """Open models, if any, and do some work with them; `work` is given the models by name."""
    if not asked.models:
        return await work({})
    async with open_models(Settings(servers=dict(asked.servers)), access) as opened:
        models = {
            model.name: PromptedModel(
                await opened.named(model),
                sampling(model),
                lambda _: None,
                revision=model.revision,
            )
            for model in asked.models
        }
        try:
            return await work(models)
        except BudgetExhaustedError:
            # What the budget still covers is under way: let it reach the cache.
            others = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*others, return_exceptions=True)
            raise
