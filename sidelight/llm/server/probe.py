"""Probe of a model server: one small structured question, to see what the server supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sidelight.errors import ModelUnavailableError, ReplyError
from sidelight.llm.base import Message, Request
from sidelight.llm.budget import Budget, BudgetedModel
from sidelight.llm.server.openai_compat import OpenAICompatModel, without_password
from sidelight.llm.structured import ask
from sidelight.schemas.base import Value
from sidelight.schemas.check import Check

if TYPE_CHECKING:
    from sidelight.llm.budget import Totals
    from sidelight.llm.structured import Answer

# Room for a reasoning model to think before it answers.
_MAX_TOKENS = 2048
_MAX_NAMES = 5
# The question says nothing of JSON: only a schema that the server enforces can shape the answer.
_QUESTION = "Which of these two animals is a mammal: the otter or the trout? How many legs has it?"
_ENFORCE = (
    "Use a server that enforces JSON schemas, with the reasoning parser of this model: "
    "docs/models.md"
)


class Mammal(Value):
    """The answer."""

    animal: Literal["otter", "trout"]
    legs: int


async def probe(model: str, base_url: str, api_key_variable: str) -> list[Check]:
    """Look at a model server from near to far; stop where nothing further can be seen.

    Raises:
        UsageError: The address or the key variable cannot be used.
        MachineError: The SDK is not installed.
    """
    async with OpenAICompatModel(model, base_url, api_key_variable=api_key_variable) as client:
        try:
            served = await client.served_models()
        except ModelUnavailableError as error:
            return [Check("model server", error.message, error.remedy)]
        checks = [
            Check("model server", f"answers at {without_password(base_url)}"),
            _served(model, served),
        ]
        asked = BudgetedModel(client, budget := Budget())
        request = Request(
            model=model,
            messages=(Message(role="user", content=_QUESTION),),
            max_tokens=_MAX_TOKENS,
        )
        try:
            answer = await ask(asked, request, Mammal)
        except ModelUnavailableError as error:
            return [*checks, Check("structured output", error.message, error.remedy)]
        except ReplyError as error:
            return [*checks, Check("structured output", error.message, _ENFORCE)]
        return [*checks, _obeyed(answer), _reasoning(answer), _speed(budget.totals)]


def _served(model: str, served: tuple[str, ...]) -> Check:
    if model in served:
        return Check("model", f"{model} is served")
    names = ", ".join(served[:_MAX_NAMES]) or "none"
    more = f" and {len(served) - _MAX_NAMES} more" if len(served) > _MAX_NAMES else ""
    return Check(
        "model",
        f"{model} is not served; the server lists {names}{more}",
        f"Name one that is: --model {served[0]}" if served else "Load a model into the server.",
    )


def _obeyed(answer: Answer[Mammal]) -> Check:
    failure = answer.calls[0].failure
    if failure is None:
        return Check("structured output", "obeyed at once")
    return Check("structured output", f"only at the second try: {failure.message}", _ENFORCE)


def _reasoning(answer: Answer[Mammal]) -> Check:
    reply = answer.calls[-1].reply
    if reply is None or not reply.reasoning:
        return Check("reasoning", "none, or none that the server sets apart")
    return Check("reasoning", f"{len(reply.reasoning)} characters in {reply.reasoning_field!r}")


def _speed(totals: Totals) -> Check:
    latency = f"{totals.latency_s / totals.calls:.2f} s a call"
    if totals.uncounted_calls:
        return Check("speed", f"{latency}; the server does not count tokens")
    rate = totals.usage.completion_tokens / totals.latency_s
    return Check("speed", f"{latency}, {rate:.1f} tokens/s written, one call at a time")
