"""The bytes of a chat completion, read to a `Reply` or to the error that says why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BaseModel, ValidationError

from sidelight.errors import (
    EmptyReplyError,
    MalformedReplyError,
    RefusedReplyError,
    TruncatedReplyError,
    Usage,
)
from sidelight.llm.base import Reply

if TYPE_CHECKING:
    ReasoningField = Literal["", "reasoning", "reasoning_content"]

_MAX_QUOTED = 200


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    # vLLM renamed its `reasoning_content` to `reasoning` in 2026; other servers keep the old name.
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


def _no_gift(usage: Usage | None) -> Usage | None:
    if usage and min(usage.prompt_tokens, usage.completion_tokens) < 0:
        raise ValueError("negative numbers of tokens")
    return usage


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: Annotated[Usage | None, AfterValidator(_no_gift)] = None


class _ServedModel(BaseModel):
    id: str


class _ModelList(BaseModel):
    data: list[_ServedModel]


def read_completion(body: bytes) -> Reply:
    """Read the body of a chat completion.

    Raises:
        MalformedReplyError: It is not one.
        TruncatedReplyError: The model ran into the token limit, in its answer or before it.
        RefusedReplyError: The model or a filter declined.
        EmptyReplyError: There is no answer, whatever else there is.
    """
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError as error:
        quoted = body[:_MAX_QUOTED].decode(errors="replace")
        raise MalformedReplyError(
            f"expected a chat completion, found {quoted!r}",
            text=body.decode(errors="replace"),
            remedy="Give the address at which the OpenAI API begins; it mostly ends in /v1.",
        ) from error
    usage = completion.usage
    if not completion.choices:
        raise EmptyReplyError("the reply holds no choice", usage=usage)
    choice = completion.choices[0]
    message = choice.message
    text = message.content or ""
    if choice.finish_reason == "length":
        raise TruncatedReplyError(
            "the reply ended at the token limit",
            text=text,
            usage=usage,
            remedy="Allow a longer reply; reasoning counts towards it.",
        )
    if message.refusal or choice.finish_reason == "content_filter":
        refusal = message.refusal or text
        raise RefusedReplyError(f"the model declined: {refusal!r}", text=refusal, usage=usage)
    if not text.strip():
        raise EmptyReplyError("the reply holds no answer", usage=usage)
    field = _reasoning_field(message)
    return Reply(
        text=text,
        reasoning=getattr(message, field) if field else "",
        reasoning_field=field,
        usage=usage,
        finish_reason=choice.finish_reason or "",
    )


def _reasoning_field(message: _Message) -> ReasoningField:
    if message.reasoning:
        return "reasoning"
    return "reasoning_content" if message.reasoning_content else ""


def read_model_list(body: bytes) -> tuple[str, ...]:
    """Read the names in a list of models, sorted.

    Raises:
        pydantic.ValidationError: It is not such a list.
    """
    return tuple(sorted(model.id for model in _ModelList.model_validate_json(body).data))
