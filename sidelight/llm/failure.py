"""An unusable reply as data, for traces and for the cache."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

from sidelight.errors import (
    EmptyReplyError,
    FailedCallError,
    MalformedReplyError,
    RefusedReplyError,
    ReplyError,
    StructuredOutputError,
    TruncatedReplyError,
    Usage,
)
from sidelight.schemas.base import Value

FailureKind: TypeAlias = Literal["truncated", "empty", "refused", "malformed", "misfit", "failed"]
"""Why a reply is unusable; `misfit`: an answer of another type than was asked for."""

_ERRORS: dict[FailureKind, type[ReplyError]] = {
    "truncated": TruncatedReplyError,
    "empty": EmptyReplyError,
    "refused": RefusedReplyError,
    "malformed": MalformedReplyError,
    "misfit": StructuredOutputError,
    "failed": FailedCallError,
}
_KINDS = {error: kind for kind, error in _ERRORS.items()}


class ReplyFailure(Value):
    """What a `ReplyError` says.

    Attributes:
        kind: Which error it is.
        message: What is wrong.
        remedy: What fixes it.
        text: What the model said, as far as it came.
        usage: What it cost, or None where the server does not say.
    """

    kind: FailureKind
    message: str
    remedy: str
    text: str
    usage: Usage | None

    @classmethod
    def of(cls, error: ReplyError) -> Self:
        """Return an error as data."""
        return cls.model_validate(
            {
                "kind": _KINDS[type(error)],
                "message": error.message,
                "remedy": error.remedy,
                "text": error.text,
                "usage": error.usage,
            }
        )

    def error(self) -> ReplyError:
        """Return the error that was raised."""
        return _ERRORS[self.kind](
            self.message, text=self.text, usage=self.usage, remedy=self.remedy
        )
