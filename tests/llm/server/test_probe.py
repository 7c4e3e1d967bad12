"""`sidelight doctor --model` against servers in every state."""

import asyncio
import json

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import ModelUnavailableError, UsageError
from sidelight.llm.base import Message, Request
from sidelight.llm.server.openai_compat import OpenAICompatModel
from tests.helpers.models.model_server import (
    MAMMAL,
    SERVERS,
    Answer,
    ModelServer,
    completion,
    error,
)


def doctor(server, *arguments, model="tiny"):
    command = ["doctor", "--model", model, "--base-url", server.base_url, "--json", *arguments]
    with server:
        result = CliRunner().invoke(app, command)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    report = json.loads(result.stdout)
    assert report["ok"] == (result.exit_code == 0)
    return result.exit_code, {check["name"]: check for check in report["checks"]}


def test_a_healthy_server():
    server = ModelServer(completion(MAMMAL, reasoning="Fur, so...", usage=(60, 20), delay_s=0.1))
    code, checks = doctor(server)
    assert code == 0
    names = ["model server", "model", "parameters", "structured output", "reasoning", "speed"]
    assert list(checks) == names
    assert checks["parameters"]["found"] == "max_tokens; whole schemas"
    assert checks["model server"]["found"] == f"answers at {server.base_url}"
    assert checks["model"]["found"] == "tiny is served"
    assert checks["structured output"]["found"] == "obeyed at once"
    assert checks["reasoning"]["found"] == "10 characters in 'reasoning'"
    # 20 tokens in a bit more than 0.1 s: less than 200 a second.
    latency, rate = checks["speed"]["found"].split(", ")[:2]
    assert 0.1 <= float(latency.split()[0]) < 2
    assert 10 < float(rate.split()[0]) < 200
    assert all(check["remedy"] == "" for check in checks.values())


def test_the_table_for_people():
    with ModelServer(completion(MAMMAL), models=("tiny", "large")) as server:
        command = ["doctor", "--model", "other", "--base-url", server.base_url]
        result = CliRunner().invoke(app, command)
    assert result.exit_code == 3
    assert "missing model                 other is not served; the server lists large, tiny" in (
        result.stdout
    )
    assert "Name one that is, such as large." in result.stdout
    assert "ok      structured output     obeyed at once" in result.stdout


def test_a_name_that_is_not_served_is_one_fault_and_a_run_names_those_that_are():
    with ModelServer(error(404, "no such model"), models=("large",)) as server:
        command = ["doctor", "--model", "tiny", "--base-url", server.base_url]
        result = CliRunner().invoke(app, command)
        assert "tiny is not served; the server lists large" in result.stdout
        assert "structured output" not in result.stdout
        with pytest.raises(ModelUnavailableError, match="tiny is not served; the server lists lar"):
            asyncio.run(_asked_at(server.base_url))


NO_SERVER = "is no OpenAI-compatible model server: asked for a list of models, it answered"


@pytest.mark.parametrize(
    ("models", "check", "found", "remedy"),
    [
        ((), "model", "the server lists none", "Load a model"),
        (error(401, "who are you"), "model server", "who are you", "valid key"),
        (Answer(b"<html>"), "model server", f"{NO_SERVER} 200 '<html>'", "see: curl "),
        (Answer(b"[1]"), "model server", f"{NO_SERVER} 200 '[1]'", "see: curl "),
        (error(404, "what?"), "model server", f"{NO_SERVER} 404", "see: curl "),
    ],
    ids=["no-model", "wrong-key", "web-site", "other-api", "not-found"],
)
def test_what_the_server_lists(models, check, found, remedy):
    assert_only_fault(ModelServer(completion(MAMMAL), models=models), check, found, remedy)


async def _asked_at(url):
    request = Request(model="tiny", messages=(Message(role="user", content="Who?"),))
    async with OpenAICompatModel("tiny", url) as model:
        return await model.complete(request)


def test_an_address_without_v1_is_completed():
    with ModelServer(completion(MAMMAL)) as server:
        told = f"Most servers have the OpenAI API under /v1; try {server.url}/v1"
        command = ["doctor", "--model", "tiny", "--base-url", f"{server.url}/"]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 3
        assert told in result.stdout.replace("\n", " ")
        with pytest.raises(ModelUnavailableError) as caught:
            asyncio.run(_asked_at(server.url))
        assert caught.value.remedy == told


@pytest.mark.parametrize(
    ("script", "found", "remedy"),
    [
        ([error(404, "no such model")], "no such model", "/models"),
        ([completion("It is the otter.")], "Invalid JSON", "enforces"),
        (
            [completion("{}"), completion(MAMMAL)],
            "only at the second try: the reply does not fit the schema: ",
            "enforces",
        ),
        ([completion(None, reasoning=MAMMAL)], "the reply holds no answer", "reasoning parser"),
        ([completion("{", finish_reason="length")], "token limit", "enforces"),
        ([completion(None, refusal="No.")], "the model declined", "enforces"),
    ],
    ids=["unknown", "schema-ignored", "repaired", "answer-in-reasoning", "endless", "refused"],
)
def test_what_the_model_answers(script, found, remedy):
    assert_only_fault(ModelServer(*script), "structured output", found, remedy)


def test_what_a_server_refuses_is_shown():
    answers, takes = SERVERS["OpenAI"]
    code, checks = doctor(ModelServer(answers=answers))
    assert code == 0
    assert checks["parameters"]["found"].startswith(takes)
    assert checks["reasoning"]["found"] == "70 tokens, counted and not shown"
    answers, takes = SERVERS["Anthropic"]
    code, checks = doctor(ModelServer(answers=answers))
    assert code == 0
    assert checks["structured output"]["found"] == "obeyed where the prompt shows it"


def assert_only_fault(server, check, found, remedy):
    code, checks = doctor(server)
    assert code == 3
    assert [name for name in checks if not checks[name]["ok"]] == [check]
    assert found in checks[check]["found"]
    assert remedy in checks[check]["remedy"]
    assert "sidelight doctor" not in checks[check]["remedy"]


def test_a_server_that_does_not_count_tokens(monkeypatch):
    code, checks = doctor(ModelServer(completion(MAMMAL, usage=None)))
    assert code == 0
    assert "does not count tokens" in checks["speed"]["found"]
    assert "none" in checks["reasoning"]["found"]
    # The key comes from the variable that is named.
    monkeypatch.setenv("HOSTED_KEY", "sk-1")
    server = ModelServer(completion(MAMMAL))
    assert doctor(server, "--api-key-variable", "HOSTED_KEY")[0] == 0
    assert server.authorizations == ["Bearer sk-1"]


def test_a_proxy_that_is_no_address_is_refused(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "ftp://somewhere")
    result = CliRunner().invoke(app, ["doctor", "--model", "m", "--base-url", "http://127.0.0.1:9"])
    assert isinstance(result.exception, UsageError)
    assert str(result.exception).startswith("HTTP_PROXY, HTTPS_PROXY or ALL_PROXY")


@pytest.mark.parametrize("half", [["--model", "tiny"], ["--base-url", "http://127.0.0.1:1/v1"]])
def test_half_an_address_is_refused(half):
    result = CliRunner().invoke(app, ["doctor", *half])
    assert isinstance(result.exception, UsageError)
