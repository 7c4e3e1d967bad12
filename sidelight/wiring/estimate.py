"""Estimate of a run's model calls and their cost, from settings and articles alone.

Each performer declares what it asks (`llm.prompted`); nothing is rendered. Prices per server come
from the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.english.cleaning import clean_article
from sidelight.llm.base import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND
from sidelight.llm.prompted import Asked
from sidelight.schemas.base import Value
from sidelight.schemas.task import QuestionRankingsTask
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from sidelight.wiring.documents import document_parts
from sidelight.wiring.roles import chosen_performers, model_named, models_asked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sidelight.config.settings import ModelSettings, Settings
    from sidelight.runs.log import PromptUsage
    from sidelight.schemas.topic import Topic


def tokens_cost(
    settings: Settings, model: ModelSettings | None, read: int, written: int
) -> float | None:
    """Return what tokens of a model cost, or None where its server has no price.

    Args:
        settings: Name the servers and their prices, for a million tokens each.
        model: Who reads and writes; None where no model is named.
        read: Tokens read.
        written: Tokens written.
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

    Attributes:
        calls: Model calls.
        prompt_tokens: Tokens read, what a server's prefix cache saves included.
        completion_tokens: Tokens written.
        cost: In the currency of the prices, or None where one is not set.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class RunEstimate(Value):
    """Estimate of a run, if every round that is allowed is made.

    Attributes:
        prompts: By prompt id.
        total: All of them.
        hours: If one call is made at a time.
        hours_at_once: If all slots of the servers are always full; no run reaches it.
        unknown: Roles whose performer asks a model and does not say how often; not in the total.
    """

    prompts: dict[str, PromptEstimate]
    total: PromptEstimate
    hours: float
    hours_at_once: float
    unknown: tuple[str, ...]


def estimate_run(settings: Settings, topics: Sequence[Topic]) -> RunEstimate:
    """Return what a run with these settings would come to; nothing is asked."""
    lengths = [len(clean_article(one.body)[0]) if isinstance(one, Article) else 0 for one in topics]
    performers = chosen_performers(settings) | _documents(settings)
    unknown = tuple(
        role
        for role, performer in performers.items()
        if models_asked(performer) and not hasattr(performer, "asks")
    )
    by_prompt: dict[str, list[PromptEstimate]] = {}
    said = (asked for one in performers.values() for asked in getattr(one, "asks", ()))
    for asked in (*said, *_ranking(settings)):
        estimate = _estimate(asked, settings, lengths)
        by_prompt.setdefault(asked.prompt.id, []).append(estimate)
    prompts = {prompt_id: _sum(estimates) for prompt_id, estimates in by_prompt.items()}
    total = _sum(list(prompts.values()))
    if unknown:
        total = total.model_copy(update={"cost": None})
    hours = (total.calls * LATENCY_S + total.completion_tokens / TOKENS_PER_SECOND) / 3600
    return RunEstimate(
        prompts=prompts,
        total=total,
        hours=hours,
        hours_at_once=hours / max(1, min(_slots(settings), total.calls)),
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


def _documents(settings: Settings) -> dict[str, type]:
    """Return who words searches and rates documents, where the track asks for documents."""
    wanted = load_track(settings.track).find(QuestionRankingsTask)
    return document_parts(settings) if wanted else {}


def _ranking(settings: Settings) -> Iterator[Asked]:
    """Yield the most that ranking asks: windows over all candidates of as many queries as may be.

    A window shows twenty segments of at most 180 words.
    """
    from sidelight.generation.prompted.rank_results import RANK_PROMPT
    from sidelight.retrieval.listwise import window_starts

    if settings.retrieval.listwise_depth is not None:
        windows = len(window_starts(settings.retrieval.listwise_depth))
        calls = windows * settings.investigation.queries_per_round
        yield Asked(RANK_PROMPT, calls, characters=23_000, written=100, more=calls, model="ranker")


def _estimate(asked: Asked, settings: Settings, lengths: Sequence[int]) -> PromptEstimate:
    per_topic = asked.calls + asked.more * (settings.investigation.max_rounds - 1)
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


def _slots(settings: Settings) -> int:
    from sidelight.config.settings import ServerSettings

    named = {model.server for model in settings.models.of_run()}
    return sum(settings.servers.get(name, ServerSettings()).max_concurrency for name in named)
