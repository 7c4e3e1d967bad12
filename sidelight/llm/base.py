"""Requests and replies, the values that every model shares, and the budget of a run."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Literal, Protocol, Self, TypeAlias

from pydantic import Field

from sidelight import errors
from sidelight.schemas.base import Value


class Message(Value):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class JsonSchema(Value):
    """The JSON Schema an answer must fit, under the name the chat API asks for."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    schema_: dict[str, Any] = Field(alias="schema")


class Request(Value):
    """Everything an answer depends on.

    Attributes:
        model: The name under which the server serves the model.
        revision: Which weights those are, as far as the caller knows. The chat API has no place for
            it; it keeps answers of different weights apart in a cache.
        json_schema: What the answer must fit; None for free text.
        temperature: 0 is the most likely answer; still not always the same one on a busy server.
        top_p: Share of the probability mass that is sampled from.
        max_tokens: Longest answer, reasoning included.
        seed: Seed of the server's sampler; None leaves it to the server.
        reasoning_effort: How long a reasoning model thinks, in the API's words; None as for `seed`.
    """

    model: str = Field(min_length=1)
    revision: str = ""
    messages: tuple[Message, ...] = Field(min_length=1)
    json_schema: JsonSchema | None = None
    temperature: float = Field(0.0, ge=0, le=2)
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(2048, ge=1)
    seed: int | None = 0
    reasoning_effort: str | None = None

    # Cache, budget and trace all ask for it, of a prompt with a whole article in it.
    @cached_property
    def as_json(self) -> bytes:
        """The whole request.

        Fields come in the order of this class. Keys inside a schema keep their own order: a
        constrained model writes them in it, so another order is another question. What came to
        this class later is left out where it is not set, so that caches keep what they know.
        """
        later = {"reasoning_effort"} if self.reasoning_effort is None else None
        return self.model_dump_json(by_alias=True, exclude=later).encode()

    def fingerprint(self) -> str:
        """Return the SHA-256 of `as_json`."""
        return hashlib.sha256(self.as_json).hexdigest()

    def __copy__(self) -> Self:
        """Return a copy without the JSON: `model_copy` goes on to change its fields."""
        copied = super().__copy__()
        copied.__dict__.pop("as_json", None)
        return copied


class Reply(Value):
    """A whole answer: neither cut short, nor empty, nor refused.

    Attributes:
        reasoning: What the model thought before it; never part of the answer.
        reasoning_field: Where the server put the reasoning; empty without any.
        usage: What it cost, or None where the server does not say.
        cached: Whether it was replayed, and so cost nothing now.
    """

    text: str = Field(min_length=1)
    reasoning: str = ""
    reasoning_field: Literal["", "reasoning", "reasoning_content"] = ""
    usage: errors.Usage | None = None
    finish_reason: str = "stop"
    cached: bool = False


class Model(Protocol):
    """Protocol of everything that answers requests."""

    @property
    def name(self) -> str:
        """The name under which the model is served; `Request.model` takes it."""

    async def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            ReplyError: A reply came and is truncated, empty, refused or malformed.
            ModelUnavailableError: The model cannot be asked.
        """


FailureKind: TypeAlias = Literal["truncated", "empty", "refused", "malformed", "misfit", "failed"]
"""Why a reply is unusable; `misfit`: an answer of another type than was asked for."""

_ERRORS: dict[FailureKind, type[errors.ReplyError]] = {
    "truncated": errors.TruncatedReplyError,
    "empty": errors.EmptyReplyError,
    "refused": errors.RefusedReplyError,
    "malformed": errors.MalformedReplyError,
    "misfit": errors.StructuredOutputError,
    "failed": errors.FailedCallError,
}
_KINDS = {error: kind for kind, error in _ERRORS.items()}


class ReplyFailure(Value):
    """What a `ReplyError` says; `usage`, its cost, is None where the server does not say."""

    kind: FailureKind
    message: str
    remedy: str
    text: str
    usage: errors.Usage | None

    @classmethod
    def of(cls, error: errors.ReplyError) -> Self:
        """Return an error as data."""
        return cls(
            kind=_KINDS[type(error)],
            message=error.message,
            remedy=error.remedy,
            text=error.text,
            usage=error.usage,
        )

    def error(self) -> errors.ReplyError:
        """Return the error that was raised."""
        return _ERRORS[self.kind](
            self.message, text=self.text, usage=self.usage, remedy=self.remedy
        )


CHARACTERS_PER_TOKEN = 4
"""Of English text, in common vocabularies; a tokenizer would have to be downloaded."""

TOKENS_PER_SECOND = 200
"""Of one reply: the speed of the published AutoJudge, which asked one call at a time."""


_NOTHING = errors.Usage(0, 0)


@dataclass(frozen=True, slots=True)
class Totals:
    """Amounts spent.

    Attributes:
        calls: Calls made, failed ones included.
        uncounted_calls: Replies whose server does not say what they cost, and calls that failed
            without a reply; `usage` does not hold them.
        latency_s: Seconds waited for calls, added up over calls made at the same time.
    """

    calls: int = 0
    usage: errors.Usage = _NOTHING
    uncounted_calls: int = 0
    latency_s: float = 0.0


class Budget:
    """Spending limits of all models of a run together, and the `totals` spent so far.

    None is no limit. Tokens read and written count together.
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

        It waits for calls under way to give back what they did not need. If the call does not fit
        even then, BudgetExhaustedError is raised.
        """
        while True:
            if self._max_calls is not None and self.totals.calls >= self._max_calls:
                raise errors.BudgetExhaustedError(
                    f"all {self._max_calls} calls of the budget have been made",
                    remedy="Allow more calls; a run that is called again keeps what it has.",
                )
            if self._max_tokens is None or self._fits(most + self._reserved_tokens):
                break
            if not self._fits(most):
                raise errors.BudgetExhaustedError(
                    f"the next call may take {most} tokens, and of {self._max_tokens} "
                    f"{self._spent_tokens} are spent",
                    remedy="Allow more tokens; a run that is called again keeps what it has.",
                )
            self._settled.clear()
            await self._settled.wait()
        self.totals = replace(self.totals, calls=self.totals.calls + 1)
        self._reserved_tokens += most

    def settle(self, most: int, came: Reply | errors.ReplyError | None, latency_s: float) -> None:
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
    """A model that is asked as long as its budget lasts; other models may share the budget.

    It belongs between the cache and the client, where only what costs something comes by. The most
    a call can cost is as many tokens as the request has bytes, and the longest reply.
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
        # A byte-level tokenizer makes at most one token of a byte, whatever its vocabulary. The
        # bytes are those of the whole request, so that schema and chat template are paid for, too.
        most = len(request.as_json) + request.max_tokens
        await self._budget.reserve(most)
        started = perf_counter()
        came: Reply | errors.ReplyError | None = None
        try:
            came = await self._model.complete(request)
        except errors.ReplyError as error:
            came = error
            raise
        finally:
            self._budget.settle(most, came, perf_counter() - started)
        return came
