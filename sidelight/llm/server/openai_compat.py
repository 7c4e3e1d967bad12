"""Client for servers with the OpenAI chat API (vLLM, llama.cpp, ...), and a probe of servers.

The bytes of a chat completion are parsed to a `Reply` or to the error that says why there is none.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal, Self
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, Field, ValidationError

from sidelight import errors
from sidelight.llm.base import Budget, BudgetedModel, Message, Reply, Request, Totals
from sidelight.llm.server import capabilities
from sidelight.llm.structured import Answer, ask
from sidelight.schemas.base import Value
from sidelight.text import first_of, one_line
from sidelight.transport import (
    EXAMPLE,
    bounded_client,
    check_server,
    is_this_machine,
    redacted,
    secret_for,
    without_password,
)

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI


_MAX_QUOTED_BYTES = 200


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    # vLLM renamed its `reasoning_content` to `reasoning` in 2026; other servers keep the old name.
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


_Count = Annotated[int, Field(ge=0)]


class _Details(BaseModel):
    reasoning_tokens: _Count | None = None


class _Usage(BaseModel):
    prompt_tokens: _Count
    completion_tokens: _Count
    total_tokens: _Count | None = None
    completion_tokens_details: _Details | None = None
    reasoning_tokens: _Count | None = None

    def usage(self) -> errors.Usage:
        """Return the cost; some servers count reasoning in their total alone."""
        told = self.completion_tokens_details
        return errors.Usage(
            self.prompt_tokens,
            max(self.completion_tokens, (self.total_tokens or 0) - self.prompt_tokens),
            (told and told.reasoning_tokens) or self.reasoning_tokens or 0,
        )


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


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
        quoted = body[:_MAX_QUOTED_BYTES].decode(errors="replace")
        raise errors.MalformedReplyError(
            f"expected a chat completion, found {quoted!r}",
            text=body.decode(errors="replace"),
            remedy="Give the address at which the OpenAI API begins; it mostly ends in /v1.",
        ) from error
    usage = completion.usage.usage() if completion.usage else None
    if not completion.choices:
        raise errors.EmptyReplyError("the reply holds no choice", usage=usage)
    choice = completion.choices[0]
    message = choice.message
    text = message.content or ""
    if choice.finish_reason == "length":
        raise errors.TruncatedReplyError(
            "the reply ended at the token limit",
            text=text,
            usage=usage,
            remedy="Allow a longer reply; reasoning counts towards it.",
        )
    if message.refusal or choice.finish_reason == "content_filter":
        said = message.refusal or text
        raise errors.RefusedReplyError(f"the model declined: {said!r}", text=said, usage=usage)
    if not text.strip():
        raise errors.EmptyReplyError("the reply holds no answer", usage=usage)
    field: Literal["", "reasoning", "reasoning_content"] = ""
    if message.reasoning or message.reasoning_content:
        field = "reasoning" if message.reasoning else "reasoning_content"
    return Reply(
        text=text,
        reasoning=getattr(message, field) if field else "",
        reasoning_field=field,
        usage=usage,
        finish_reason=choice.finish_reason or "",
    )


DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
MAX_REPLY_BYTES = 32 << 20

_MAX_RETRIES = 3
_REACH_TIMEOUT_S = 10.0
_NOT_THERE = {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}
# What passes, beside all from 500 on; the SDK retries the same.
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
# A proxy says these for a server that is gone.
_GONE = {HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT}
# What servers say to a request that they do not take; some call it an error of their own.
_REFUSING = {
    *(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    *(HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.INTERNAL_SERVER_ERROR),
    HTTPStatus.NOT_IMPLEMENTED,
}
# Where the SDK notes which try a request is.
_RETRY_HEADER = "x-stainless-retry-count"
# Local servers take any key, and the SDK takes no empty one.
_NO_KEY = "none"
_MAX_SAID = 500
_SHORTEST_KEY = 8


class OpenAICompatModel:
    """One model behind an OpenAI-compatible server; an async context manager.

    The SDK retries rate limits, server errors and broken connections three times, waiting as long
    as the server's `Retry-After` says. A server that is not there at all is not waited for: the
    first call of a client looks for it once, without a retry, and so does a call that has used up
    its retries. Only if the server is still there is it that one call that failed.

    A request that is refused for a parameter or its schema is sent again without it, and so is
    every later one; see `Capabilities`. One that is too long, or that a filter declines, fails
    alone once another one was answered.

    Args:
        name: The name under which the server serves the model.
        base_url: Where the API begins, e.g. `http://localhost:8000/v1`.
        api_key_variable: Environment variable that holds the key; the key is kept nowhere else.
            Only the default one may be unset, for servers that need no key.
        max_concurrency: Calls under way at once; the only such limit in the program.
        timeout_s: Longest wait for one whole reply, in seconds.
        known: File of what servers take, read at first and written when something is learned; None
            keeps it nowhere.
        on_learned: Told, in a sentence, what the server takes, whenever something is learned.

    Attributes:
        retries: Requests sent again so far, for calls that failed in the end too.
        capabilities: What the model is known to take.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        api_key_variable: str = DEFAULT_KEY_VARIABLE,
        max_concurrency: int = 64,
        timeout_s: float = 600.0,
        known: Path | None = None,
        on_learned: Callable[[str], None] = lambda _: None,
    ) -> None:
        check_server(base_url, "base_url")
        if EXAMPLE.search(base_url):
            raise errors.UsageError(
                f"{without_password(base_url)} is an example and no address of a server",
                remedy="Put in the address of your service, such as servers.default.base_url.",
            )
        self.name = name
        self.retries = 0
        self._base_url = base_url
        self._shown_url = without_password(base_url)
        self._key_variable = api_key_variable
        self._key = secret_for(self._shown_url, api_key_variable)
        if not self._key and api_key_variable != DEFAULT_KEY_VARIABLE:
            raise errors.UsageError(
                f"the environment variable {api_key_variable} holds no API key",
                remedy=f"Set it: export {api_key_variable}=...",
            )
        self._timeout_s = timeout_s
        self._known = known
        self._on_learned = on_learned
        self._place = f"{self._shown_url} {name}"
        self.capabilities = capabilities.read_known(known).get(self._place, capabilities.ALL)
        self._answered = False
        self._slots = asyncio.Semaphore(max_concurrency)
        self._reached = False
        self._client = self._open()

    def _open(self) -> AsyncOpenAI:
        with errors.package_of("asking a model", "Install it with: pip install openai"):
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout
        return AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=self._base_url,
            timeout=Timeout(self._timeout_s, connect=_REACH_TIMEOUT_S),
            max_retries=_MAX_RETRIES,
            # Of the SDK's own kind; a plain httpx client is three times slower.
            http_client=bounded_client(DefaultAsyncHttpxClient, MAX_REPLY_BYTES),
        )

    @property
    def takes(self) -> str:
        """What the model is known to take, in a sentence."""
        return f"{self} takes: {self.capabilities}."

    def __str__(self) -> str:
        return f"{self.name} at {self._shown_url}"

    @property
    def named(self) -> str:
        """The options that name model and server on a command line."""
        return f"--model {quote(self.name)} --base-url {quote(self._shown_url)}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def served_models(self) -> tuple[str, ...]:
        """Return the names the server lists, sorted; asked without a retry.

        Raises:
            ModelUnavailableError: No answer, a refused key, or no list of models.
        """
        from openai import APIError, APIStatusError

        try:
            body = await self._list_models()
            listed = _ModelList.model_validate_json(self._without_key(body))
        except APIError as error:
            if isinstance(error, APIStatusError) and error.status_code in _NOT_THERE:
                raise self._other_server(error.status_code, error.response.content) from error
            raise self._unavailable(error) from error
        except ValidationError as error:
            raise self._other_server(HTTPStatus.OK, body) from error
        return tuple(sorted(model.id for model in listed.data))

    async def complete(self, request: Request) -> Reply:
        """Answer one request; see `Model.complete`.

        Raises:
            FailedCallError: All retries were in vain, and the server is there.
            ReplyError: A reply came and cannot be used.
            ModelUnavailableError: The server is gone or refuses what it is asked.
        """
        async with self._slots:
            if not self._reached:
                await self._reach()
            while (body := await self._sent(request, sent := self.capabilities)) is None:
                pass
        self._answered = True
        # The SDK builds its types without checking them, so the bytes are read here.
        reply = read_completion(self._without_key(body))
        if request.json_schema is None:
            return reply
        self._learn(sent, sent.after_reply(reply.text))
        return reply.model_copy(update={"text": _without_fence(reply.text)})

    async def _sent(self, request: Request, sent: capabilities.Capabilities) -> bytes | None:
        """Return what the server answers; None where it is to be asked again, in another way."""
        from openai import APIError, APIStatusError, HttpxBinaryResponseContent

        try:
            # Bytes are sent as they are; arguments of `chat.completions.create` the SDK walks
            # through and writes as JSON, which takes it several times as long.
            came = await self._client.post(
                "/chat/completions",
                content=sent.body(request),
                cast_to=HttpxBinaryResponseContent,
                options={"headers": {"Content-Type": "application/json"}},
            )
        except APIError as error:
            self.retries += _retries(error.request.headers)
            message, remedy = self._explain(error, self._timeout_s)
            if isinstance(error, APIStatusError) and error.status_code in _REFUSING:
                said = capabilities.refusal(error.response.content)
                if self._learn(sent, sent.after_refusal(said, request)):
                    return None
                if self._answered and (fault := capabilities.fault_of_one(said)):
                    raise fault(message, remedy=remedy) from error
            if not _may_pass(error):
                if isinstance(error, APIStatusError) and error.status_code in _NOT_THERE:
                    with suppress(errors.ModelUnavailableError):
                        served = _served(self.name, await self.served_models())
                        if not served.ok:
                            message, remedy = f"{self._shown_url}: {served.found}", served.remedy
                raise errors.ModelUnavailableError(message, remedy=remedy) from error
            await self._reach()
            raise errors.FailedCallError(message, remedy=remedy) from error
        self.retries += _retries(came.response.request.headers)
        return bytes(came.content)

    def _learn(
        self, sent: capabilities.Capabilities, found: capabilities.Capabilities | None
    ) -> bool:
        """Take note of what an answer says; tell whether more is known than when it was asked."""
        # Calls made at the same time may have learned since.
        if found is not None and self.capabilities == sent:
            self.capabilities = found
            capabilities.keep_known(self._known, self._place, found)
            self._on_learned(self.takes)
        return self.capabilities != sent

    async def _reach(self) -> None:
        from openai import APIConnectionError, APIStatusError

        try:
            await self._list_models()
        except APIConnectionError as error:
            raise self._unavailable(error) from error
        except APIStatusError as error:
            # Whatever else it says, it is there; not every server lists its models.
            if error.status_code in _GONE:
                raise self._unavailable(error) from error
        self._reached = True

    async def _list_models(self) -> bytes:
        client = self._client.with_options(max_retries=0, timeout=_REACH_TIMEOUT_S)
        response = await client.models.with_raw_response.list()
        return response.content

    def _unavailable(self, error: APIError) -> errors.ModelUnavailableError:
        from openai import APITimeoutError

        message, remedy = self._explain(error, _REACH_TIMEOUT_S)
        if isinstance(error, APITimeoutError):
            message = f"{self._shown_url} takes connections and gave no answer in "
            message += f"{_REACH_TIMEOUT_S:g} s when asked for its models"
            remedy = "Check the address, and whether the server has loaded its model."
        return errors.ModelUnavailableError(message, remedy=remedy)

    def _other_server(self, status: int, body: bytes) -> errors.ModelUnavailableError:
        """Return the error of a server that lists no models: a web site, or another address."""
        came = one_line(self._without_key(body).decode(errors="replace"))[:_MAX_QUOTED_BYTES]
        return errors.ModelUnavailableError(
            f"{self._shown_url} is no OpenAI-compatible model server: asked for a list of models, "
            f"it answered {status} {came!r}",
            remedy=self._fix(HTTPStatus.NOT_FOUND),
        )

    def _explain(self, error: APIError, timeout_s: float) -> tuple[str, str]:
        """Return what went wrong and what fixes it."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        if isinstance(error, APITimeoutError):
            return (
                f"{self._shown_url} gave no answer in {timeout_s:g} s",
                "Look at the server's load, or lower the number of calls made at once.",
            )
        if isinstance(error, APIConnectionError):
            return (
                f"the connection to {self._shown_url} failed: {self._said(_root(error))}",
                "Start the server, or give the address at which it listens."
                if is_this_machine(urlsplit(self._base_url).hostname or "")
                else "Check the address, and whether this machine reaches the network.",
            )
        said = self._said(error)
        status = error.status_code if isinstance(error, APIStatusError) else None
        return f"{self._shown_url} refused a call for {self.name!r}: {said}", self._fix(status)

    def _said(self, error: BaseException | None) -> str:
        """Return the words of an error, without keys and what a terminal would obey."""
        words = one_line(str(error))
        for secret in filter(None, (self._key, urlsplit(self._base_url).password)):
            words = words.replace(secret, "***")
        return words[:_MAX_SAID]

    def _without_key(self, body: bytes) -> bytes:
        """Return what a server said, less the key, which would stand in replies and reports.

        One of a few letters is none: people give such to servers that want no key.
        """
        if len(self._key) < _SHORTEST_KEY:
            return body
        try:
            return orjson.dumps(redacted(orjson.loads(body), self._key))
        except ValueError:  # no JSON, or nested too deep for a reply
            return str(redacted(body.decode(errors="replace"), self._key)).encode()

    def _fix(self, status: int | None) -> str:
        match status:
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
                return f"Put a valid key for this server into {self._key_variable}."
            case _ if status in _NOT_THERE:
                url = self._shown_url.rstrip("/")
                return (
                    f"Give the name and address that the server uses; see: curl {url}/models"
                    if re.search(r"/v\d", urlsplit(url).path)
                    else f"Most servers have the OpenAI API under /v1; try {url}/v1"
                )
            case int() if 300 <= status < 400:
                return "Give the address that it redirects to, if you trust that one with prompts."
            case HTTPStatus.TOO_MANY_REQUESTS:
                return "Wait, or lower the number of calls made at once."
            case int() if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return "Look at the server's log; it failed several times in a row."
            case _:
                return "Change what the server objects to: the length, the schema or a parameter."


def _without_fence(text: str) -> str:
    """Return what a model has put between the marks of a block of code, as many do with JSON."""
    marked = text.strip()
    if not (marked.startswith("```") and marked.endswith("```")):
        return text
    return marked.removesuffix("```").partition("\n")[2] or text


def _root(error: BaseException) -> BaseException:
    """Return the first cause of an error: those between say only that all attempts failed."""
    while cause := error.__cause__ or error.__context__:
        error = cause
    return error


def _may_pass(error: APIError) -> bool:
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        status = error.status_code
        return status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return isinstance(error, APIConnectionError)


def _retries(headers: Mapping[str, str]) -> int:
    return int(headers.get(_RETRY_HEADER, 0))


# Room for a reasoning model to think before it answers.
_MAX_TOKENS = 2048
_MAX_NAMES = 5
# The question says nothing of JSON: only a schema that the server enforces can shape the answer.
_QUESTION = (
    "Which of these two animals is a mammal: the otter or the trout? How many legs has it? Why is "
    "it one?"
)
_NO_REASONING = "none, or none that the server sets apart"
_ENFORCE = (
    "Use a server that enforces JSON schemas, with the reasoning parser of this model: "
    "docs/models.md"
)


class Mammal(Value):
    """The answer; its bounds show whether the server takes any."""

    animal: Literal["otter", "trout"]
    legs: int = Field(ge=0, le=100)
    reason: str = Field(max_length=1000)


async def probe(model: str, base_url: str, api_key_variable: str) -> list[errors.Check]:
    """Look at a model server from near to far; stop where nothing further can be seen."""
    async with OpenAICompatModel(model, base_url, api_key_variable=api_key_variable) as client:
        try:
            served = await client.served_models()
        except errors.ModelUnavailableError as error:
            return [errors.Check("model server", error.message, error.remedy)]
        checks = [
            errors.Check("model server", f"answers at {without_password(base_url)}"),
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
        except errors.ModelUnavailableError as error:
            if not checks[-1].ok:  # which is why
                return checks
            return [*checks, errors.Check("structured output", error.message, error.remedy)]
        except errors.ReplyError as error:
            return [*checks, errors.Check("structured output", error.message, _ENFORCE)]
        takes = errors.Check("parameters", str(client.capabilities))
        shown = client.capabilities.shows_schema
        obeyed = _obeyed(answer, shown=shown)
        return [*checks, takes, obeyed, _reasoning(answer), _speed(budget.totals)]


def _served(model: str, served: tuple[str, ...]) -> errors.Check:
    if model in served:
        return errors.Check("model", f"{model} is served")
    return errors.Check(
        "model",
        f"{model} is not served; the server lists {first_of(served, _MAX_NAMES) or 'none'}",
        f"Name one that is, such as {served[0]}." if served else "Load a model into the server.",
    )


def _obeyed(answer: Answer[Mammal], *, shown: bool) -> errors.Check:
    failure = answer.calls[0].failure
    if failure is None:
        return errors.Check("structured output", "obeyed at once")
    if shown:
        return errors.Check("structured output", "obeyed where the prompt shows it")
    return errors.Check("structured output", f"only at the second try: {failure.message}", _ENFORCE)


def _reasoning(answer: Answer[Mammal]) -> errors.Check:
    reply = answer.calls[-1].reply
    if reply is None or not reply.reasoning:
        hidden = reply.usage.reasoning_tokens if reply and reply.usage else 0
        found = f"{hidden} tokens, counted and not shown" if hidden else _NO_REASONING
        return errors.Check("reasoning", found)
    return errors.Check(
        "reasoning", f"{len(reply.reasoning)} characters in {reply.reasoning_field!r}"
    )


def _speed(totals: Totals) -> errors.Check:
    latency = f"{totals.latency_s / totals.calls:.2f} s a call"
    if totals.uncounted_calls:
        return errors.Check("speed", f"{latency}; the server does not count tokens")
    rate = totals.usage.completion_tokens / totals.latency_s
    return errors.Check("speed", f"{latency}, {rate:.1f} tokens/s written, one call at a time")
