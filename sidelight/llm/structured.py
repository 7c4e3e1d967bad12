"""Structured answers of a given type: requested by JSON schema, validated, repaired at most once.

Also checks that an answer covers exactly the items that were asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from sidelight import errors
from sidelight.llm.base import JsonSchema, Message, Model, Reply, ReplyFailure, Request
from sidelight.schemas.base import Value

T = TypeVar("T", bound=BaseModel)


class FreeText(Value):
    """A reply as it was said: no schema goes with its request."""

    text: str


_MAX_FAULTS = 10
# JSON allows no control character in a string, and those between its parts are blanks anyway.
# xgrammar, which enforces schemas in vLLM, lets them through in strings of bounded length.
_AS_BLANKS = dict.fromkeys(range(0x20), " ")


class Call(Value):
    """One call as a trace keeps it.

    Attributes:
        request: What was asked.
        reply: The whole reply, where one came.
        failure: Why there is none, or why it could not be used.
        latency_s: Seconds until either came, the wait for a free slot included.
        repair: Whether it is the one more turn that a first failure gets.
    """

    request: Request
    reply: Reply | None = None
    failure: ReplyFailure | None = None
    latency_s: float = 0.0
    repair: bool = False


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A checked value, and the one or two calls it took."""

    value: T
    calls: tuple[Call, ...]


async def ask(
    model: Model,
    request: Request,
    kind: type[T],
    check: Callable[[T], None] | None = None,
    on_call: Callable[[Call], None] = lambda _: None,
) -> Answer[T]:
    """Ask for a value of one type.

    The schema goes with the request, and the reply is validated all the same: servers accept
    schemas that they do not enforce. Control characters in it are read as blanks. A reply that
    cannot be used is followed by one more turn. It shows the model what is wrong, or, where the
    reply was cut short, allows twice the tokens; a call that failed is made again as it was.

    Args:
        model: Who answers.
        request: The question, without a schema.
        kind: The type. Hosted services want every field required and other fields forbidden.
        check: Raises ValueError, saying what is wrong, for a value that fits the type and still
            will not do.
        on_call: Told of each call when it has ended, also where it all ends in an error.

    Raises:
        StructuredOutputError: The second reply does not fit either.
        ReplyError: The second reply is truncated, empty, refused, malformed or did not come. Like
            the former, it holds the cost of both calls.
    """
    schema = None if kind is FreeText else _schema(kind)
    turn = request.model_copy(update={"json_schema": schema})
    call, outcome = await _attempt(model, turn, kind, check)
    on_call(call)
    if not isinstance(outcome, errors.ReplyError):
        return Answer(outcome, (call,))
    second, repaired = await _attempt(model, _repair(turn, outcome), kind, check, repair=True)
    on_call(second)
    if isinstance(repaired, errors.ReplyError):
        first, then = outcome.usage, repaired.usage
        repaired.usage = None if first is None or then is None else first + then
        raise repaired
    return Answer(repaired, (call, second))


@cache  # pydantic takes half a millisecond, and few types are asked for many times
def _schema(kind: type[BaseModel]) -> JsonSchema:
    return JsonSchema(name=kind.__name__, schema=kind.model_json_schema())


async def _attempt(
    model: Model,
    request: Request,
    kind: type[T],
    check: Callable[[T], None] | None,
    *,
    repair: bool = False,
) -> tuple[Call, T | errors.ReplyError]:
    reply: Reply | None = None
    outcome: T | errors.ReplyError
    started = perf_counter()
    try:
        reply = await model.complete(request)
        outcome = _read(reply, kind, check)
    except errors.ReplyError as error:
        outcome = error
    call = Call(
        request=request,
        reply=reply,
        failure=ReplyFailure.of(outcome) if isinstance(outcome, errors.ReplyError) else None,
        latency_s=perf_counter() - started,
        repair=repair,
    )
    return call, outcome


def _read(reply: Reply, kind: type[T], check: Callable[[T], None] | None) -> T:
    try:
        if kind is FreeText:
            value = kind.model_validate({"text": reply.text})
        else:
            value = kind.model_validate_json(reply.text.translate(_AS_BLANKS), strict=True)
        if check is not None:
            check(value)
    except ValueError as error:  # pydantic's ValidationError is one
        fault = _explain(error) if isinstance(error, ValidationError) else str(error)
        raise errors.StructuredOutputError(
            f"the answer is no valid {kind.__name__}: {fault}",
            text=reply.text,
            usage=reply.usage,
            remedy="See whether the server enforces schemas: sidelight doctor --model NAME",
        ) from error
    return value


def _explain(error: ValidationError) -> str:
    faults = error.errors(include_url=False)[:_MAX_FAULTS]
    return "; ".join(
        ": ".join((*map(str, fault["loc"]), fault["msg"]))  # "items: 0: label: Field required"
        for fault in faults
    )


def _repair(request: Request, error: errors.ReplyError) -> Request:
    if isinstance(error, errors.FailedCallError):
        return request
    if isinstance(error, errors.TruncatedReplyError):
        return request.model_copy(update={"max_tokens": 2 * request.max_tokens})
    form = "Reply with one JSON object that fits the schema, and with nothing else."
    if request.json_schema is None:
        form = "Reply once more, as you were asked to."
    note = f"Your reply could not be used: {error.message}\n{form}"
    *before, last = request.messages
    if isinstance(error, errors.StructuredOutputError):
        said = Message(role="assistant", content=error.text)
        turns = [last, said, Message(role="user", content=note)]
    else:
        # Nothing was said that could be shown, and chat templates refuse two user turns in a row.
        turns = [Message(role=last.role, content=f"{last.content}\n\n{note}")]
    return request.model_copy(update={"messages": (*before, *turns)})


def check_each_once(asked: Collection[str], answered: Sequence[str]) -> None:
    """Check that an answer has each id that was asked about exactly once.

    Raises:
        ValueError: One is missing, invented or there twice; the message names all that are.
    """
    counts = Counter(answered)
    faults = {
        "missing": sorted(set(asked) - set(counts)),
        "not asked for": sorted(set(counts) - set(asked)),
        "more than once": sorted(one for one, count in counts.items() if count > 1),
    }
    if any(faults.values()):
        raise ValueError(
            "give each id once, and no other; "
            + "; ".join(f"{fault}: {', '.join(ids)}" for fault, ids in faults.items() if ids)
        )
