"""What calls cost, by the prices that the settings give for each server."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.config.settings import ModelSettings, Settings
    from sidelight.runs.log import PromptUsage


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
