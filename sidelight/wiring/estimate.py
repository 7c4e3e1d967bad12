"""Estimate of a run's model calls and their cost, and a check of whether a run could work here.

Nothing is rendered or loaded, and no server asked but one whose address is given to be checked.
Each performer declares what it asks (`llm.prompted`); prices per server come from the settings.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.config.settings import ModelSettings, ServerSettings, Settings
from sidelight.english.cleaning import clean_article
from sidelight.errors import INSTALL, Check, InputError, MachineError, UsageError
from sidelight.index.remote.client import token_variable
from sidelight.index.vectors.profiles import IN_LUCENE, NO_VECTORS, profile_named
from sidelight.llm.base import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND
from sidelight.llm.prompted import Asked
from sidelight.llm.server.openai_compat import probe
from sidelight.llm.server.vllm import find_vllm
from sidelight.parts import ROLES
from sidelight.registry import load, needs
from sidelight.retrieval.rerank import window_starts
from sidelight.runs.log import PromptUsage
from sidelight.schemas.base import Value
from sidelight.schemas.task import QuestionRankingsTask
from sidelight.schemas.topic import Article, Topic
from sidelight.tracks import load_track
from sidelight.transport import EXAMPLE, secret_for
from sidelight.wiring.roles import chosen_performers, model_named, models_asked
from sidelight.wiring.run import document_names, document_parts

if TYPE_CHECKING:
    from sidelight.index.manifest import IndexPlan
    from sidelight.index.remote.index import RemoteIndex


def tokens_cost(
    settings: Settings, model: ModelSettings | None, read: int, written: int
) -> float | None:
    """Return what tokens read and written by a model cost, by its server's prices per million.

    It is None where no model is named, or its server has no price.
    """
    server = model and settings.servers.get(model.server)
    if not server or server.prompt_price is None or server.completion_price is None:
        return None
    return (read * server.prompt_price + written * server.completion_price) / 1e6


def run_cost(settings: Settings, usage: Mapping[tuple[str, str], PromptUsage]) -> float | None:
    """Return what the calls of a run cost, by model and prompt id.

    None where it cannot be told: nothing was asked, a price is not set, or a model is served under
    one name by servers of different prices.
    """
    costs = []
    for (name, _), sums in usage.items():
        asked = {
            tokens_cost(settings, model, sums.prompt_tokens, sums.completion_tokens)
            for model in settings.models.of_run()
            if model.name == name
        }
        costs.append(asked.pop() if len(asked) == 1 else None)
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None


LATENCY_S = 0.5
"""Seconds assumed from a call to the first token of its answer."""


class PromptEstimate(Value):
    """Estimated calls of one prompt, or of all.

    `prompt_tokens` include those that a server's prefix cache saves. `cost` is in the currency of
    the prices, or None where one is not set.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class RunEstimate(Value):
    """Estimate of a run, if every round that is allowed is made, and what is to be expected.

    Attributes:
        prompts: By prompt id.
        expected: If it goes as usual: two rounds, few sentences to revise.
        hours: If one call is made at a time.
        hours_at_once: If all slots of the servers are always full; no run reaches it.
        unknown: Roles whose performer asks a model and does not say how often; not in the total.
    """

    prompts: dict[str, PromptEstimate]
    total: PromptEstimate
    expected: PromptEstimate
    hours: float
    hours_at_once: float
    unknown: tuple[str, ...]


def check_asked(settings: Settings, base_url: str | None) -> None:
    """Refuse the address of a model server where no step asks a model: it would not be used.

    One that the environment names is for whatever asks.
    """
    typed = base_url and base_url != os.environ.get("OPENAI_BASE_URL")
    estimate = estimate_run(settings, []) if typed else None
    if estimate and not estimate.prompts and not estimate.unknown:
        raise UsageError(
            "--base-url names a model server; expected a step that asks a model, found none",
            remedy="Let all steps ask: --set roles.default=prompted --set models.writer.name=NAME "
            "(or a preset, as docs/models.md says); or leave out --base-url.",
        )


def estimate_run(settings: Settings, topics: Sequence[Topic]) -> RunEstimate:
    """Return what a run with these settings would come to; nothing is asked."""
    lengths = [len(clean_article(one.body)[0]) if isinstance(one, Article) else 0 for one in topics]
    performers = chosen_performers(settings)
    if load_track(settings.track).find(QuestionRankingsTask):  # who words searches and rates pages
        performers |= document_parts(settings)
    unknown = tuple(
        role
        for role, performer in performers.items()
        if models_asked(performer) and not hasattr(performer, "asks")
    )
    by_prompt: dict[str, list[PromptEstimate]] = {}
    usual = []
    said = (asked for one in performers.values() for asked in getattr(one, "asks", ()))
    for asked in (*said, *_ranking(settings)):
        estimate = _estimate(asked, settings, lengths)
        by_prompt.setdefault(asked.prompt.id, []).append(estimate)
        usual.append(_estimate(asked, settings, lengths, usual=True))
    prompts = {prompt_id: _sum(estimates) for prompt_id, estimates in by_prompt.items()}
    total, expected = _sum(list(prompts.values())), _sum(usual)
    if unknown:
        total, expected = (one.model_copy(update={"cost": None}) for one in (total, expected))
    servers = {model.server for model in settings.models.of_run()}
    slots = sum(settings.servers.get(one, ServerSettings()).max_concurrency for one in servers)
    hours = (total.calls * LATENCY_S + total.completion_tokens / TOKENS_PER_SECOND) / 3600
    return RunEstimate(
        prompts=prompts,
        total=total,
        expected=expected,
        hours=hours,
        hours_at_once=hours / max(1, min(slots, total.calls)),
        unknown=unknown,
    )


def _sum(estimates: Sequence[PromptEstimate]) -> PromptEstimate:
    costs = [one.cost for one in estimates]
    return PromptEstimate(
        calls=sum(one.calls for one in estimates),
        prompt_tokens=sum(one.prompt_tokens for one in estimates),
        completion_tokens=sum(one.completion_tokens for one in estimates),
        cost=None if not costs or None in costs else sum(filter(None, costs)),
    )


def _ranking(settings: Settings) -> Iterator[Asked]:
    """Yield the most that ranking asks: windows over all candidates of as many queries as may be.

    A window shows twenty segments of at most 180 words.
    """
    from sidelight.generation.prompted.documents import RANK_PROMPT

    if settings.retrieval.listwise_depth is not None:
        windows = len(window_starts(settings.retrieval.listwise_depth))
        calls = windows * settings.investigation.queries_per_round
        yield Asked(RANK_PROMPT, calls, characters=23_000, written=100, more=calls, model="ranker")


def _estimate(
    asked: Asked, settings: Settings, lengths: Sequence[int], *, usual: bool = False
) -> PromptEstimate:
    rounds = settings.investigation.max_rounds
    per_topic = asked.calls + asked.more * ((min(rounds, 2) if usual else rounds) - 1)
    if usual and asked.usual is not None:
        per_topic = min(asked.usual, per_topic)
    shows_article = "profile" in asked.prompt.variables
    characters = sum(
        len(asked.prompt.source) + asked.characters + length * shows_article for length in lengths
    )
    calls = round(per_topic * len(lengths))
    read = round(per_topic * characters / CHARACTERS_PER_TOKEN)
    written = calls * asked.written
    return PromptEstimate(
        calls=calls,
        prompt_tokens=read,
        completion_tokens=written,
        cost=tokens_cost(settings, model_named(settings, asked.model), read, written),
    )


_GB = 10**9


def check_settings(settings: Settings, index: Path | None, base_url: str = "") -> list[Check]:
    """Look at everything that the settings name, and at `index` unless it is None.

    `base_url` is the address of the server `default`, which alone is asked, if it is given.
    """
    from sidelight.index.encoding.encoder import check_model
    from sidelight.index.machine import check_machine

    checks = check_machine()
    if name := settings.retrieval.reranker:
        checks.append(check_model("reranker", name))
    parts = {"retriever": ("retriever", settings.retrieval.retriever)}
    parts |= {f"role {role}": (f"role.{role}", settings.roles.performer(role)) for role in ROLES}
    if load_track(settings.track).find(QuestionRankingsTask):
        parts |= {kind: (kind, name) for kind, name in document_names(settings).items()}
    loaded: dict[str, type] = {}
    for title, (kind, name) in parts.items():
        try:
            loaded[title] = load(kind, name)
        except (UsageError, MachineError) as error:
            remedy = error.remedy or "Choose another part, or correct this one."
            checks.append(Check(title, error.message, remedy))
        else:
            checks.append(Check(title, name))
    retriever = loaded.pop("retriever", None)
    checks += _models(settings, loaded.values(), base_url)
    if index is not None:
        read = needs(retriever) if retriever else ()
        checks += _index(read, settings.retrieval.retriever, index)
    return checks


def _models(settings: Settings, performers: Iterable[type], base_url: str) -> Iterator[Check]:
    asked = {name for performer in performers for name in models_asked(performer)}
    if settings.retrieval.listwise_depth is not None:
        asked.add("ranker")
    for role in ("writer", "checker", "ranker"):
        if role not in asked:
            continue
        model = model_named(settings, role)
        if model is None:
            remedy = f"Add models.{role}.name to the configuration."
            yield Check(f"model {role}", "used by a role, but not named", remedy)
        elif role != "checker" or settings.models.checker:  # else the writer checks
            named = _server(f"model {role}", model, settings, base_url)
            yield named
            if base_url and model.server == "default" and named.ok:
                server = settings.servers.get(model.server, ServerSettings())
                yield from asyncio.run(probe(model.name, base_url, server.api_key_variable))


_PLACEHOLDER = "your-model"  # which presets have where a user is to fill in a model


def _server(role: str, model: ModelSettings, settings: Settings, base_url: str) -> Check:
    server = settings.servers.get(model.server)
    address = (base_url if model.server == "default" else "") or (server and server.base_url)
    left = {}
    if model.name == _PLACEHOLDER:
        named = next(name for name, one in settings.models if one is model)
        left[f"models.{named}.name"] = model.name
    if address and EXAMPLE.search(address):
        left[f"servers.{model.server}.base_url"] = address
    if left:
        remedy = f"Fill in {' and '.join(left)} in a copy of the configuration."
        return Check(role, f"only a placeholder: {' at '.join(left.values())}", remedy)
    if address:
        untested = "" if address == base_url else "; test it with doctor --model and --base-url"
        return Check(role, f"{model.name} at {address}{untested}")
    if server is None or server.start is None:
        remedy = f"Add servers.{model.server}.base_url to the configuration, or give --base-url."
        return Check(role, f"{model.name}: no address of its server {model.server!r}", remedy)
    try:
        find_vllm()
    except MachineError as error:
        return Check(role, f"{model.name}: {error.message}", error.remedy)
    return Check(role, f"{model.name} on a vLLM server that the run starts")


def _index(read: Sequence[str], retriever: str, path: Path) -> Iterator[Check]:
    from sidelight.index.encoding.encoder import check_model
    from sidelight.index.folder import open_index
    from sidelight.index.remote.index import RemoteIndex

    try:
        folder = open_index(path)
    except InputError as error:
        yield Check("index", error.message, error.remedy or "Build the index again.")
        return
    if isinstance(folder, RemoteIndex):
        yield from _remote(folder, read, retriever)
        return
    manifest = folder.manifest
    size = sum(manifest.files.values()) / _GB
    yield Check("index", f"{path}: {manifest.segments:,} segments, {size:.1f} GB")
    yield check_model("encoder of the index", manifest.plan.encoder.name)
    if "terms" in read and (folder.terms.contents.terms or folder.terms.contents.raw):
        yield Check(f"retriever {retriever}", "the index keeps the words of its segments")
    elif "terms" in read:
        yield Check(
            f"retriever {retriever}",
            "the index keeps neither the words of its segments nor their text",
            "Set retrieval.retriever to bm25 or hybrid, or take an index without `-slim`.",
        )
    if "vectors" in read:
        yield _vectors(manifest.plan, manifest.segments)
    if "impacts" in read and manifest.plan.splade:
        yield check_model("SPLADE encoder of the index", manifest.plan.splade)
    elif "impacts" in read:
        remedy = "Set retrieval.retriever to hybrid or bm25, or build the index with --impact."
        yield Check(f"retriever {retriever}", "the index has no learned weights", remedy)
    try:
        count = len(folder.docstore)
    except (InputError, MachineError) as error:
        yield Check("text", error.message, error.remedy or INSTALL)
    else:
        yield Check("text", f"{type(folder.docstore).__name__}, {count:,} segments")


def _remote(index: RemoteIndex, read: Sequence[str], retriever: str) -> Iterator[Check]:
    """Look at what a folder says of its server; nothing is asked."""
    address = index.address
    yield Check("index", f"{address.index} at {address.url}; try it: sidelight search WORDS")
    variable = token_variable(address)
    if variable is None:
        yield Check("token", "none is sent; name one with index remote --token-variable")
    else:
        yield _token(address.url, variable)
    try:
        for part in {"terms", "vectors", "impacts"}.intersection(read):
            getattr(index, part)
    except InputError as error:
        yield Check(f"retriever {retriever}", error.message, error.remedy or "")


def _token(url: str, variable: str) -> Check:
    try:
        found = secret_for(url, variable)
    except UsageError as error:
        return Check(f"token {variable}", error.message, error.remedy)
    said = "set" if found else "not set; only servers without a token answer"
    return Check(f"token {variable}", said)


def _vectors(plan: IndexPlan, segments: int) -> Check:
    from sidelight.index.vectors.capacity import plan_capacity, this_machine

    dimension = plan.encoder.dimension
    if plan.profile == NO_VECTORS:
        remedy = "Set retrieval.retriever to bm25, or build the index with another --profile."
        return Check("vectors", "the index has none", remedy)
    if plan.profile == IN_LUCENE:
        return Check("vectors", f"in Lucene, {dimension} numbers each")
    capacity = plan_capacity(profile_named(plan.profile), segments, dimension)
    found = f"{plan.profile}, {dimension} numbers each, {capacity.memory_gb:.1f} GB"
    machine = this_machine()
    room, gpus = machine.memory / _GB, len(machine.gpus)
    if not capacity.gpus and capacity.memory_gb > room:
        remedy = "Build them with the profile cpu-24gb: `sidelight index plan` says what it takes."
        return Check("vectors", f"{found}; this machine has {room:.1f} GB", remedy)
    if gpus < capacity.gpus:
        remedy = f"Use a machine with {capacity.gpus} GPU(s), or the profile cpu-24gb."
        return Check("vectors", f"{found}; found {gpus} GPU(s)", remedy)
    return Check("vectors", found)
