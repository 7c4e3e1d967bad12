"""The real client against a real server that fails in every way a model server does."""

import asyncio
import contextlib
import gzip
import logging
import socket
import time
from types import SimpleNamespace

import pytest

from sidelight import errors
from sidelight.errors import FailedCallError, ModelUnavailableError, Usage, UsageError
from sidelight.llm.base import JsonSchema, Message, Reply, Request
from sidelight.llm.server import openai_compat
from sidelight.llm.server.openai_compat import OpenAICompatModel
from sidelight.llm.structured import ask
from tests.helpers.models.model_server import (
    SERVERS,
    Answer,
    ModelServer,
    choices,
    completion,
    error,
    refused,
)

REQUEST = Request(model="tiny", messages=(Message(role="user", content="Who?"),))

pytestmark = pytest.mark.usefixtures("quick_backoff")


def in_client(server, work, **options):
    """Do some work with an open client of a server."""

    async def worked():
        async with OpenAICompatModel("tiny", server.base_url, **options) as model:
            return await work(model)

    return asyncio.run(worked())


def complete(server, request=REQUEST, timeout_s=5.0):
    return in_client(server, lambda model: model.complete(request), timeout_s=timeout_s)


def test_a_whole_reply():
    with ModelServer(completion("Ada")) as server:
        assert complete(server) == Reply(text="Ada", usage=Usage(11, 7))
        (sent,) = server.requests
    assert (sent["seed"], "response_format" in sent) == (0, False)


def test_every_parameter_is_sent():
    schema = {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}}}
    request = Request(
        model="tiny",
        messages=(Message(role="system", content="S"), Message(role="user", content="U")),
        json_schema=JsonSchema(name="Pair", schema=schema),
        temperature=0.5,
        top_p=0.9,
        max_tokens=9,
        seed=None,
    )
    with ModelServer(completion("{}")) as server:
        complete(server, request)
        (sent,) = server.requests
    assert sent == {
        "model": "tiny",
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "Pair", "schema": schema, "strict": True},
        },
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 9,
    }
    # A constrained model writes the keys in the order of the schema.
    assert list(sent["response_format"]["json_schema"]["schema"]["properties"]) == ["z", "a"]


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_is_kept_apart_wherever_it_comes(field):
    with ModelServer(completion("Ada", **{field: "Hm."})) as server:
        reply = complete(server)
    assert (reply.text, reply.reasoning, reply.reasoning_field) == ("Ada", "Hm.", field)


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (completion("Ada Lo", finish_reason="length"), "Truncated", "Ada Lo"),
        (completion(None, finish_reason="length", reasoning="Let me"), "Truncated", ""),
        (completion(None), "Empty", ""),
        (completion(None, reasoning='{"answer": 1}'), "Empty", ""),
        (completion(None, reasoning_content='{"answer": 1}'), "Empty", ""),
        (completion(" \n"), "Empty", ""),
        (choices([]), "Empty", ""),
        (completion(None, refusal="I will not."), "Refused", "I will not."),
        (completion("Ada", finish_reason="content_filter"), "Refused", "Ada"),
        (Answer(b'{"choices": ['), "Malformed", '{"choices": ['),
        (Answer(b"<html>hello"), "Malformed", "<html>hello"),
        (Answer(b"[]"), "Malformed", "[]"),
        (choices([{"message": "Ada"}]), "Malformed", None),
        (completion("Ada", usage=(-5, 7)), "Malformed", None),  # tokens are not given back
        (completion("Ada", usage=(5, -7)), "Malformed", None),
    ],
)
def test_unusable_replies_are_named_and_keep_their_cost(answer, kind, text):
    with ModelServer(answer) as server:
        with pytest.raises(getattr(errors, f"{kind}ReplyError")) as caught:
            complete(server)
        assert len(server.requests) == 1
    assert caught.value.usage == (None if kind == "Malformed" else Usage(11, 7))
    assert text is None or caught.value.text == text


def test_a_rate_limit_is_waited_for_as_long_as_the_server_says():
    with ModelServer(error(429, retry_after="0.4"), completion("Ada")) as server:
        assert complete(server).text == "Ada"
        first, second = server.arrivals
    assert second - first >= 0.4


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (error(429), "lower the number of calls"),
        (error(500), "server's log"),
        (completion("Ada", cut=10), "failed"),
        (completion("late", delay_s=20), "no answer in 0.1 s"),
    ],
    ids=["429", "500", "cut", "hang"],
)
def test_a_lasting_failure_of_a_server_that_is_there_fails_the_call(fault, said):
    with ModelServer(fault) as server:
        with pytest.raises(FailedCallError) as caught:
            complete(server, timeout_s=0.1)
        assert len(server.requests) == 4
    assert said in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("name", SERVERS)
def test_what_a_server_refuses_is_left_out_from_then_on(name, tmp_path):
    answers, takes = SERVERS[name]
    told: list[str] = []

    async def legs(model):
        request = REQUEST.model_copy(update={"reasoning_effort": "medium"})
        answer = await ask(model, request, openai_compat.Mammal)
        return answer.value.legs, str(model.capabilities), answer.calls[-1].reply.usage

    options = {"known": tmp_path / "servers.json", "on_learned": told.append}
    with ModelServer(answers=answers) as server:
        n_legs, shown, usage = in_client(server, legs, **options)
        assert n_legs == 4
        assert shown.startswith(takes)
        assert told[-1].endswith(f"takes: {shown}.")
        # Another process knows it already.
        asked, n_told = len(server.requests), len(told)
        assert in_client(server, legs, **options) == (4, shown, usage)
        assert (len(server.requests), len(told)) == (asked + 1, n_told)
        # Whether the reasoning is counted with the answer or in the total alone.
        assert usage.completion_tokens == {"OpenAI": 90, "Google": 90}.get(name, 7)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("max_tokens is too large: 2048. This model supports at most 1024", ModelUnavailableError),
        ("temperature must be between 0 and 1", ModelUnavailableError),
        ("This model's maximum context length is 4096 tokens.", FailedCallError),
        ("The prompt triggered the content management policy.", errors.RefusedReplyError),
    ],
)
def test_a_refusal_that_a_request_less_would_not_mend(said, expected, tmp_path):
    async def call(model):
        await model.complete(REQUEST)
        with pytest.raises(expected):
            await model.complete(REQUEST)
        assert str(model.capabilities) == "max_tokens; whole schemas"

    known = tmp_path / "servers.json"
    with ModelServer(completion("Ada"), refused(said)) as server:
        in_client(server, call, known=known)
        assert len(server.requests) == 2
    assert not known.exists()
    # Of the first request nobody knows whether all are refused.
    with ModelServer(refused(said)) as server, pytest.raises(ModelUnavailableError):
        complete(server)


@pytest.mark.parametrize("status", [502, 504])
def test_a_proxy_before_a_server_that_is_gone_is_no_server(status):
    with ModelServer(completion("Ada"), models=error(status)) as server:
        with pytest.raises(ModelUnavailableError):
            complete(server)
        assert not server.requests
    # One that lists no models is asked all the same.
    with ModelServer(completion("Ada"), models=error(404)) as server:
        assert complete(server).text == "Ada"


def test_retries_are_counted_for_calls_that_fail_too():
    async def call(model):
        counts = []
        for _ in range(3):
            with contextlib.suppress(FailedCallError, ModelUnavailableError):
                await model.complete(REQUEST)
            counts.append(model.retries)
        return counts

    bad = error(500)
    with ModelServer(bad, bad, completion("Ada"), bad, error(400), bad) as server:
        # Two before the answer; one before what no retry helps; three, all in vain.
        assert in_client(server, call) == [2, 3, 6]


def test_a_server_that_is_down_is_reported_at_once(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 5)  # a retry would be noticed
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can take the port
        gone = SimpleNamespace(base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        started = time.monotonic()
        for ask_it in (lambda model: model.complete(REQUEST), lambda model: model.served_models()):
            with pytest.raises(ModelUnavailableError, match="Start the server") as caught:
                in_client(gone, ask_it)
            assert gone.base_url in caught.value.message
            assert "Connect call failed" in caught.value.message
        assert time.monotonic() - started < 4


def test_a_hosted_server_that_is_not_found_is_not_to_be_started():
    hosted = SimpleNamespace(base_url="https://models.invalid/v1")  # a name that no host can have
    with pytest.raises(ModelUnavailableError, match="Check the address, and whether"):
        complete(hosted)


def test_no_more_calls_at_once_than_allowed():
    async def call(model):
        await asyncio.gather(*(model.complete(REQUEST) for _ in range(12)))

    with ModelServer(completion("Ada", delay_s=0.05)) as server:
        in_client(server, call, max_concurrency=3)
        assert len(server.requests) == 12
        assert server.most_at_once == 3


def test_the_key_goes_to_the_server_and_nowhere_else(monkeypatch, caplog):
    monkeypatch.setenv("OTHER_KEY", "sk-secret")
    caplog.set_level(logging.DEBUG)
    with ModelServer(error(401, "the key sk-secret is wrong")) as server:
        with pytest.raises(ModelUnavailableError, match="into OTHER_KEY") as caught:
            in_client(server, lambda model: model.complete(REQUEST), api_key_variable="OTHER_KEY")
        assert server.authorizations == ["Bearer sk-secret"]
    assert "sk-secret" not in f"{caught.value}{caplog.text}"


def test_a_key_that_the_server_repeats_is_in_no_reply(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")

    with ModelServer(completion('{"said": "sk-secre\\u0074"} sk-secret')) as server:
        reply = complete(server)
    assert "sk-secret" not in reply.text
    assert "***" in reply.text


def test_a_key_travels_encrypted_or_not_off_this_machine(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with pytest.raises(UsageError, match="unencrypted") as refused:
        OpenAICompatModel("tiny", "http://ann:sesame@far.test/v1")
    assert not {"sk-secret", "sesame"} & set(str(refused.value).split())
    OpenAICompatModel("tiny", "https://far.test/v1")
    monkeypatch.delenv("OPENAI_API_KEY")
    OpenAICompatModel("tiny", "http://far.test/v1")


def test_what_cannot_be_used_is_refused_before_any_call(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(UsageError, match="export NO_SUCH_KEY"):
        OpenAICompatModel("tiny", "http://127.0.0.1:1/v1", api_key_variable="NO_SUCH_KEY")
    with pytest.raises(UsageError, match="http://localhost:8000/v1"):
        OpenAICompatModel("tiny", "localhost:8000")
    with pytest.raises(UsageError, match=r"^base_url: expected .* found 'http://\[bad'"):
        OpenAICompatModel("tiny", "http://[bad")
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(errors.MachineError, match="pip install openai"):
        OpenAICompatModel("tiny", "http://127.0.0.1:1/v1")


async def nothing(): ...


class Trickle:
    """A server that says whatever a test wants, as slowly as it wants."""

    def __init__(self, *parts, pause_s=0.0, status=b"200 OK"):
        self.parts, self.pause_s, self.status = parts, pause_s, status
        self.asked: list[bytes] = []

    async def answer(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.asked.append(head)
            writer.write(b"HTTP/1.1 " + self.status + b"\r\n")
            for part in self.parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(self.pause_s)
        except ConnectionError:
            pass
        finally:
            writer.close()

    def ask(self, *, user="", timeout_s=5.0):
        async def call():
            server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            url = f"http://{user}127.0.0.1:{port}/v1"
            async with server, OpenAICompatModel("tiny", url, timeout_s=timeout_s) as model:
                model._reach = nothing  # type: ignore[method-assign]
                with pytest.raises(errors.SidelightError) as caught:
                    await model.complete(REQUEST)
            return caught.value

        return asyncio.run(call())


def test_a_reply_must_be_whole_in_time():
    slow = Trickle(b"Content-Length: 999\r\n\r\n", *[b" "] * 999, pause_s=0.05)
    started = time.monotonic()
    assert "no answer in 0.2 s" in str(slow.ask(timeout_s=0.2))
    assert time.monotonic() - started < 5
    heads = Trickle(*[b"A: b\r\n"] * 999, pause_s=0.1)
    assert "no answer in 0.2 s" in str(heads.ask(timeout_s=0.2))


def test_a_reply_has_a_largest_size(monkeypatch):
    monkeypatch.setattr(openai_compat, "MAX_REPLY_BYTES", 1 << 20)
    endless = Trickle(b"Content-Length: 99999999\r\n\r\n", *[b" " * (1 << 16)] * 1500)
    assert "more than 1048576 bytes" in str(endless.ask())


def test_a_packed_reply_is_not_unpacked():
    packed = gzip.compress(b" " * 10_000_000)
    head = f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n".encode()
    bomb = Trickle(head, packed)
    assert "compressed answer" in str(bomb.ask())
    assert b"accept-encoding: identity" in bomb.asked[0].lower()


def test_a_prompt_is_not_taken_elsewhere():
    with ModelServer(completion("Ada")) as elsewhere:
        head = f"Location: {elsewhere.base_url}/chat/completions\r\nContent-Length: 0\r\n\r\n"
        away = Trickle(head.encode(), status=b"307 Temporary Redirect")
        assert "that it redirects to" in str(away.ask())
        assert not elsewhere.requests


def test_errors_have_no_password_and_nothing_a_terminal_obeys():
    body = b'{"error": {"message": "\x1b[2J\\u001b[31m\\u202e' + b"long " * 500 + b'sesame"}}'
    head = f"Content-Length: {len(body)}\r\n\r\n".encode()
    said = str(Trickle(head, body, status=b"400 Bad Request").ask(user="ann:sesame@"))
    assert "http://***@127.0.0.1" in said
    assert "sesame" not in said
    assert not set("\x1b\u202e") & set(said)
    assert len(said) < 1000
    with pytest.raises(UsageError) as caught:
        OpenAICompatModel("tiny", "ftp://ann:sesame@host/v1")
    assert "sesame" not in str(caught.value)
