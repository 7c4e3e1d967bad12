"""What a run would ask of its models, told from settings and articles alone; nothing is rendered.

The figures per prompt were measured: ten of the public topics (every third), every role asking the
server of the tests, BM25 over the 30 articles, one, two, three and five rounds at most; they are
means over `calls/*.jsonl` of those runs. That server writes answers of ordinary length. A model
that reasons writes more, and one whose sentences stand at once is asked to revise fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sidelight.generation.reading.cleaning import clean_article
from sidelight.llm.rates import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND
from sidelight.schemas.article import Article
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.config.settings import ModelSettings, Settings
    from sidelight.prompting import Prompt
    from sidelight.schemas.topic import Topic

LATENCY_S = 0.5
"""Seconds assumed from a call to the first token of its answer."""


class _Asked(NamedTuple):
    """How a role asks one prompt of a topic.

    Attributes:
        role: The setting under `roles` that decides whether it asks.
        performer: The choice there that asks this prompt.
        calls: Calls in a run of one round, repairs included and replayed ones not.
        more: Calls that every further round adds.
        characters: Read beside the text of the prompt and the article.
        written: Tokens written.
        model: Who is asked; where no such model is named, the writer.
    """

    role: str
    performer: str
    calls: float
    more: float
    characters: int
    written: int
    model: Literal["writer", "checker", "ranker"] = "writer"


_ASKED = {
    "profile": _Asked("profile_article", "prompted", 1, 0, 1_200, 118),
    "rubric": _Asked("draft_rubric", "prompted", 3, 0, 0, 291),
    "plan": _Asked("plan_queries", "prompted", 1, 1, 470, 263),
    "select": _Asked("select_evidence", "prompted", 16.4, 5.6, 23_000, 598),
    "coverage": _Asked("assess_coverage", "prompted", 1, 1, 24_400, 544),
    "questions": _Asked("write_questions", "prompted", 1, 0, 1_360, 1_005),
    "compound": _Asked("write_questions", "prompted", 41.3, 0, 24, 23, "checker"),
    "split_question": _Asked("write_questions", "prompted", 11, 0, 350, 49),
    "organizers_2024": _Asked("write_questions", "organizers-2024", 1, 0, 0, 154),
    "claims": _Asked("write_report", "prompted", 16.4, 0, 8_200, 125),
    "report": _Asked("write_report", "prompted", 1.4, 0, 3_400, 545),
    "support": _Asked("check_report", "prompted", 13.4, 0, 2_800, 25, "checker"),
    "revise": _Asked("revise_report", "prompted", 23.5, 0, 9_350, 60),
}


class PromptEstimate(Value):
    """What the calls of one prompt, or of all, would come to.

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
    """What a run would come to, if every round that is allowed is made.

    Attributes:
        prompts: By prompt id.
        total: All of them.
        hours: If one call is made at a time.
        hours_at_once: If all slots of the servers are always full; no run reaches it.
    """

    prompts: dict[str, PromptEstimate]
    total: PromptEstimate
    hours: float
    hours_at_once: float


def estimate_run(settings: Settings, topics: Sequence[Topic]) -> RunEstimate:
    """Return what a run with these settings would come to; nothing is asked."""
    from sidelight.prompting import find_prompts

    lengths = [len(clean_article(one.body)[0]) if isinstance(one, Article) else 0 for one in topics]
    sources = {prompt.id: prompt for prompt in find_prompts()}
    prompts = {
        name: _estimate(sources[name], asked, settings, lengths)
        for name, asked in _ASKED.items()
        if _performer(settings, asked.role).removesuffix("-example") == asked.performer
    }
    if settings.retrieval.listwise_depth is not None:
        prompts["rank"] = _estimate(sources["rank"], _ranking(settings), settings, lengths)
    costs = [one.cost for one in prompts.values()]
    total = PromptEstimate(
        calls=sum(one.calls for one in prompts.values()),
        prompt_tokens=sum(one.prompt_tokens for one in prompts.values()),
        completion_tokens=sum(one.completion_tokens for one in prompts.values()),
        cost=None if not costs or None in costs else sum(filter(None, costs)),
    )
    hours = (total.calls * LATENCY_S + total.completion_tokens / TOKENS_PER_SECOND) / 3600
    return RunEstimate(
        prompts=prompts,
        total=total,
        hours=hours,
        hours_at_once=hours / max(1, min(_slots(settings), total.calls)),
    )


def _ranking(settings: Settings) -> _Asked:
    """Return the most that ranking asks: windows over all candidates of as many queries as may be.

    A window shows twenty segments of at most 180 words.
    """
    from sidelight.retrieval.listwise import window_starts

    windows = len(window_starts(settings.retrieval.listwise_depth or 0))
    calls = windows * settings.investigation.queries_per_round
    return _Asked("", "", calls, calls, 23_000, 100, "ranker")


def _performer(settings: Settings, role: str) -> str:
    return str(getattr(settings.roles, role) or settings.roles.default)


def _estimate(
    prompt: Prompt, asked: _Asked, settings: Settings, lengths: Sequence[int]
) -> PromptEstimate:
    per_topic = asked.calls + asked.more * (settings.investigation.max_rounds - 1)
    shows_article = "profile" in prompt.variables
    characters = sum(
        len(prompt.source) + asked.characters + length * shows_article for length in lengths
    )
    calls = round(per_topic * len(lengths))
    read = round(per_topic * characters / CHARACTERS_PER_TOKEN)
    written = calls * asked.written
    return PromptEstimate(
        calls=calls,
        prompt_tokens=read,
        completion_tokens=written,
        cost=_cost(settings, _model(settings, asked), read, written),
    )


def _model(settings: Settings, asked: _Asked) -> ModelSettings | None:
    named: ModelSettings | None = getattr(settings.models, asked.model)
    return named or settings.models.writer


def _cost(settings: Settings, model: ModelSettings | None, read: int, written: int) -> float | None:
    server = model and settings.servers.get(model.server)
    if not server or server.prompt_price is None or server.completion_price is None:
        return None
    return (read * server.prompt_price + written * server.completion_price) / 1e6


def _slots(settings: Settings) -> int:
    from sidelight.config.settings import ServerSettings

    models = (settings.models.writer, settings.models.checker, settings.models.ranker)
    named = {one.server for one in models if one}
    return sum(settings.servers.get(name, ServerSettings()).max_concurrency for name in named)
