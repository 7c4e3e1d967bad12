"""Structured answers of a given type: requested by JSON schema, validated, repaired at most once.

A field that names something the prompt shows is a choice of the ids of that prompt (`IdOf`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from sidelight import errors
from sidelight.llm.base import JsonSchema, Message, Model, Reply, ReplyFailure, Request
from sidelight.llm.cache import CachedModel
from sidelight.schemas.base import Value, faults

T = TypeVar("T", bound=BaseModel)

Ids: TypeAlias = Mapping[str, Collection[str]]
"""By the name that an `IdOf` gives them, the ids that a prompt shows."""


class FreeText(Value):
    """A reply as it was said: no schema goes with its request."""

    text: str


# JSON allows no control character in a string, and those between its parts are blanks anyway.
# xgrammar, which enforces schemas in vLLM, lets them through in strings of bounded length.
_AS_BLANKS = dict.fromkeys(range(0x20), " ")


_ID = re.compile(r"\w+(?:[.-]+\w+)*")
_IDS = "ids"


class IdOf(NamedTuple):
    """Says of a field that it holds an id of a prompt: `key: Annotated[str, IdOf("claims")]`.

    The schema of a request lists the ids, so that a server that enforces schemas offers no others.
    From one that does not, `segment E1`, `[E1]` and `e1` are read as E1. What names none of them
    stays as it is: what becomes of it is for the caller to say.
    """

    name: str

    def __get_pydantic_core_schema__(
        self, source: type, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Return the schema of a text that is read as an id, as pydantic asks for it."""
        return core_schema.with_info_after_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the schema with a mark, which a request has replaced by its ids."""
        return {**handler(schema), _IDS: self.name}

    def _read(self, said: str, info: core_schema.ValidationInfo) -> str:
        known = (info.context or {}).get(self.name, ())
        if said in known:
            return said
        folded = {one.casefold(): one for one in known}
        words = (word.casefold() for word in _ID.findall(said))
        return next((folded[word] for word in words if word in folded), said)


def _with_ids(schema: Any, ids: Ids) -> Any:
    """Return a JSON schema whose marked fields are choices of the ids, where there are any."""
    if isinstance(schema, list):
        return [_with_ids(one, ids) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(name := schema.get(_IDS), str):
        plain = {"type": "string"}
        return {**plain, "enum": list(ids[name])} if ids.get(name) else plain
    return {key: _with_ids(one, ids) for key, one in schema.items()}


class Call(Value):
    """One call as a trace keeps it; `repair` marks the one more turn that a first failure gets.

    It has a reply or a failure, whose `latency_s` includes the wait for a free slot.
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
    ids: Ids | None = None,
) -> Answer[T]:
    """Ask for a value of one type.

    The schema goes with the request, and the reply is validated all the same: servers accept
    schemas that they do not enforce. Control characters in it are read as blanks. A reply that
    cannot be used is followed by one more turn. It shows the model what is wrong, or, where the
    reply was cut short, allows twice the tokens; a call that failed is made again as it was. Where
    that is no use either, a cache keeps both replies for an offline replay alone.

    Args:
        model: Who answers.
        request: The question, without a schema.
        kind: The type. Hosted services want every field required and other fields forbidden.
        check: Raises ValueError, saying what is wrong, for a value that fits the type and still
            will not do.
        on_call: Told of each call when it has ended, also where it all ends in an error.
        ids: What the fields marked with `IdOf` may name.

    Raises:
        StructuredOutputError: The second reply does not fit either.
        ReplyError: The second reply is truncated, empty, refused, malformed or did not come. Like
            the former, it holds the cost of both calls.
    """
    ids, schema = ids or {}, None
    if kind is not FreeText:
        name, whole = _schema(kind)
        schema = JsonSchema(name=name, schema=_with_ids(whole, ids))
    turn = request.model_copy(update={"json_schema": schema})
    call, outcome = await _attempt(model, turn, kind, check, ids)
    on_call(call)
    if not isinstance(outcome, errors.ReplyError):
        return Answer(outcome, (call,))
    second, repaired = await _attempt(model, _repair(turn, outcome), kind, check, ids, repair=True)
    on_call(second)
    if isinstance(repaired, errors.ReplyError):
        if isinstance(model, CachedModel):  # which asks anew, the next time, what had no answer
            for one in (call, second):
                if one.failure is not None:
                    model.disown(one.request, one.failure)
        first, then = outcome.usage, repaired.usage
        repaired.usage = None if first is None or then is None else first + then
        raise repaired
    return Answer(repaired, (call, second))


@cache  # pydantic takes half a millisecond, and few types are asked for many times
def _schema(kind: type[BaseModel]) -> tuple[str, dict[str, Any]]:
    return kind.__name__, kind.model_json_schema()


async def _attempt(
    model: Model,
    request: Request,
    kind: type[T],
    check: Callable[[T], None] | None,
    ids: Ids,
    *,
    repair: bool = False,
) -> tuple[Call, T | errors.ReplyError]:
    reply: Reply | None = None
    outcome: T | errors.ReplyError
    started = perf_counter()
    try:
        reply = await model.complete(request)
        outcome = _read(reply, kind, check, ids)
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


def _read(reply: Reply, kind: type[T], check: Callable[[T], None] | None, ids: Ids) -> T:
    try:
        if kind is FreeText:
            value = kind.model_validate({"text": reply.text})
        else:
            text = reply.text.translate(_AS_BLANKS)
            value = kind.model_validate_json(text, strict=True, context=ids)
        if check is not None:
            check(value)
    except ValueError as error:  # pydantic's ValidationError is one
        fault = faults(error, with_values=False)
        raise errors.StructuredOutputError(
            f"the reply does not fit the schema: {fault}",
            text=reply.text,
            usage=reply.usage,
            remedy="See whether the server enforces schemas: sidelight doctor --model NAME",
        ) from error
    return value


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
    """Raise a ValueError unless an answer has each id that was asked about exactly once.

    The message names all that are missing, invented or there twice.
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
