"""Prompted model: renders a prompt file, returns a validated answer, and records every call.

It also declares what performers ask of a model, for estimates. Of sidelight's own performers, the
calls were measured on ten of the public topics (every third), every role asking the server of the
tests, whose sentences often fail the check, with one and two rounds at most. What is usual, and how
much the steps of an investigation read and write, is the mean of two topics of the mini web that
people answered by hand (tests/fixtures/by_hand). A model that reasons writes more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from sidelight.llm.base import FailureKind, Message, Model, Request
from sidelight.llm.structured import Call, Ids, T, ask
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from sidelight.prompting import Prompt


class Sampling(Value):
    """How a model picks its words; what each means and may be, `Request` says."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 4096
    seed: int | None = 0
    reasoning_effort: str | None = None


class CallRecord(Value):
    """One call in a run's trace: which prompt it came from, what it cost and how it ended.

    Attributes:
        request: The request's fingerprint, under which a cache keeps the reply.
        prompt_tokens: Tokens read, or None where the server does not say.
        completion_tokens: Tokens written, or None likewise.
        cached: Whether the reply was replayed, and so cost nothing now.
        latency_s: Seconds until it ended, the wait for a free slot included.
        failure: Why there is no usable answer, or None.
        repair: Whether it is the one more turn that a first failure gets.
    """

    prompt_id: str
    prompt_version: int
    prompt_hash: str
    model: str
    request: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached: bool
    latency_s: float
    failure: FailureKind | None
    repair: bool


class PromptedModel:
    """A model with what all its calls share: sampling, revision and a place to record them.

    `record` is told of every call when it has ended, failed ones included. `revision` says which
    weights the model has, as far as the caller knows; see `Request`.
    """

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        record: Callable[[CallRecord], None],
        *,
        revision: str = "",
    ) -> None:
        self._model = model
        self._sampling = sampling
        self._record = record
        self._revision = revision

    async def answer(
        self,
        prompt: Prompt,
        kind: type[T],
        /,
        *,
        check: Callable[[T], None] | None = None,
        ids: Ids | None = None,
        **values: object,
    ) -> T:
        """Render a prompt and return the model's answer to it; see `ask` for its type and check.

        `values` are those of the prompt's variables, exactly the ones that it declares.

        Raises:
            ReplyError: Neither the reply nor the one more turn gave a usable answer.
            ModelUnavailableError: The model cannot be asked.
        """
        rendered = prompt.render(**values)
        request = Request(
            model=self._model.name,
            revision=self._revision,
            messages=tuple(
                Message(role=role, content=content)
                for role, content in (("system", rendered.system), ("user", rendered.user))
                if content
            ),
            **self._sampling.model_dump(),
        )
        answer = await ask(
            self._model,
            request,
            kind,
            check,
            lambda call: self._record(_as_record(prompt, call)),
            ids,
        )
        return answer.value


def _as_record(prompt: Prompt, call: Call) -> CallRecord:
    reply, failure = call.reply, call.failure
    outcome = reply or failure
    usage = outcome and outcome.usage
    return CallRecord(
        prompt_id=prompt.id,
        prompt_version=prompt.version,
        prompt_hash=prompt.fingerprint,
        model=call.request.model,
        request=call.request.fingerprint(),
        prompt_tokens=usage and usage.prompt_tokens,
        completion_tokens=usage and usage.completion_tokens,
        cached=reply is not None and reply.cached,
        latency_s=call.latency_s,
        failure=failure and failure.kind,
        repair=call.repair,
    )


class Asked(NamedTuple):
    """How often a performer asks one prompt on a topic; its `asks` has one for each prompt.

    Attributes:
        prompt: What is asked.
        calls: Calls in a run of one round, repairs included and replayed ones not.
        characters: Read beside the text of the prompt and the article.
        written: Tokens written.
        more: Calls that every further round adds.
        model: Who is asked; where no such model is named, the writer.
        usual: Calls where people answered, in two rounds; None is `calls` and `more`.
    """

    prompt: Prompt
    calls: float
    characters: int
    written: int
    more: float = 0
    model: Literal["writer", "checker", "ranker"] = "writer"
    usual: float | None = None
