"""Budget of a run: spending limits on models, and what was spent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from sidelight.errors import BudgetExhaustedError, ReplyError, Usage

if TYPE_CHECKING:
    from sidelight.llm.base import Model, Reply, Request

_NOTHING = Usage(0, 0)


@dataclass(frozen=True, slots=True)
class Totals:
    """Amounts spent.

    Attributes:
        calls: Calls made, failed ones included.
        usage: Tokens, as the servers counted them.
        uncounted_calls: Replies whose server does not say what they cost, and calls that failed
            without a reply; `usage` does not hold them.
        latency_s: Seconds waited for calls, added up over calls made at the same time.
    """

    calls: int = 0
    usage: Usage = _NOTHING
    uncounted_calls: int = 0
    latency_s: float = 0.0


class Budget:
    """Spending limits of all models of a run together, and the amounts spent.

    Args:
        max_calls: Calls allowed, or None for any number.
        max_tokens: Tokens allowed, read and written together, or None for any number.

    Attributes:
        totals: What has been spent so far.
    """

    def __init__(self, *, max_calls: int | None = None, max_tokens: int | None = None) -> None:
        self.totals = Totals()
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._spent_tokens = 0
        self._reserved_tokens = 0
        self._settled = asyncio.Event()

    async def reserve(self, most: int) -> None:
        """Set aside the most that a call can cost, in tokens, and count the call.

        It waits for calls under way to give back what they did not need.

        Raises:
            BudgetExhaustedError: It would not fit even then.
        """
        while True:
            if self._max_calls is not None and self.totals.calls >= self._max_calls:
                raise BudgetExhaustedError(
                    f"all {self._max_calls} calls of the budget have been made",
                    remedy="Allow more calls; a run that is called again keeps what it has.",
                )
            if self._max_tokens is None or self._fits(most + self._reserved_tokens):
                break
            if not self._fits(most):
                raise BudgetExhaustedError(
                    f"the next call may take {most} tokens, and of {self._max_tokens} "
                    f"{self._spent_tokens} are spent",
                    remedy="Allow more tokens; a run that is called again keeps what it has.",
                )
            self._settled.clear()
            await self._settled.wait()
        self.totals = replace(self.totals, calls=self.totals.calls + 1)
        self._reserved_tokens += most

    def settle(self, most: int, came: Reply | ReplyError | None, latency_s: float) -> None:
        """Replace what was set aside for a call by what it cost."""
        usage = None if came is None else came.usage
        self._reserved_tokens -= most
        if usage is not None:
            self._spent_tokens += usage.total_tokens
        elif came is not None:
            self._spent_tokens += most
        self.totals = replace(
            self.totals,
            usage=self.totals.usage + (usage or _NOTHING),
            uncounted_calls=self.totals.uncounted_calls + (usage is None),
            latency_s=self.totals.latency_s + latency_s,
        )
        self._settled.set()

    def _fits(self, tokens: int) -> bool:
        return self._max_tokens is None or self._spent_tokens + tokens <= self._max_tokens


class BudgetedModel:
    """A model that is asked as long as a budget lasts.

    It belongs between the cache and the client, where only what costs something comes by. The most
    a call can cost is as many tokens as the request has bytes, and the longest reply.

    Args:
        model: Who answers.
        budget: What it may cost; other models may share it.
    """

    def __init__(self, model: Model, budget: Budget) -> None:
        self._model = model
        self._budget = budget

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    async def complete(self, request: Request) -> Reply:
        """Answer one request, if the budget allows the most it can cost.

        Raises:
            BudgetExhaustedError: It does not; nothing was asked.
            ReplyError: A reply came and cannot be used; it counts all the same.
            ModelUnavailableError: The model cannot be asked.
        """
        most = _most_tokens(request)
        await self._budget.reserve(most)
        started = perf_counter()
        came: Reply | ReplyError | None = None
        try:
            came = await self._model.complete(request)
        except ReplyError as error:
            came = error
            raise
        finally:
            self._budget.settle(most, came, perf_counter() - started)
        return came


def _most_tokens(request: Request) -> int:
    """Return a number of tokens that a call does not exceed.

    A byte-level tokenizer makes at most one token of a byte, whatever its vocabulary. The bytes are
    those of the whole request as JSON, so that schema and chat template are paid for as well.
    """
    return len(request.as_json) + request.max_tokens
