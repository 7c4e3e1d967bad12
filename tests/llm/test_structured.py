"""Answers of a type: asked for, repaired once and recorded, whatever a model says."""

import asyncio
import json
from typing import Annotated, Literal

import pytest

from sidelight import errors
from sidelight.errors import EmptyReplyError, FailedCallError, Usage
from sidelight.llm.base import Message, Reply, Request
from sidelight.llm.prompted import CallRecord, PromptedModel, Sampling
from sidelight.llm.structured import IdOf, ask, check_each_once
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from tests.helpers.models.scripted_model import ScriptedModel


class Verdict(Value):
    reason: str
    label: Literal["yes", "no"]


QUESTION = Message(role="user", content="Is it so?")
REQUEST = Request(model="scripted", messages=(QUESTION,), max_tokens=100)
GOOD = '{"reason": "seen", "label": "yes"}'
YES = Verdict(reason="seen", label="yes")


def asked(*replies):
    model = ScriptedModel(replies)
    answer = asyncio.run(ask(model, REQUEST, Verdict))
    model.assert_finished()
    return answer, model


def test_a_valid_reply_takes_one_call():
    answer, model = asked(GOOD)
    assert answer.value == YES
    (call,) = answer.calls
    assert call.reply == Reply(text=GOOD)
    assert call.failure is None
    (request,) = model.requests
    assert call.request == request
    assert request.json_schema.name == "Verdict"
    assert request.json_schema.schema_ == Verdict.model_json_schema()
    assert request.messages == REQUEST.messages


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (f"Sure! Here it is: {GOOD}", "Invalid JSON"),
        (f"```json\n{GOOD}\n```", "Invalid JSON"),
        (f"<think>so</think>{GOOD}", "Invalid JSON"),
        (f"{GOOD} {GOOD}", "Invalid JSON"),
        ('{"reason": "seen", "label": "Yes"}', "label: expected 'yes' or 'no'"),
        ('{"reason": 1, "label": "yes"}', "reason: expected text"),
        ('{"label": "yes"}', "no reason"),
        ('{"reason": "", "label": "no", "score": 4}', "score: there is no such field; remove it"),
        ("[]", "expected an object"),
    ],
)
def test_an_answer_that_does_not_fit_is_shown_what_is_wrong(bad, fault):
    answer, model = asked(bad, GOOD)
    assert answer.value == YES
    first, second = answer.calls
    assert first.reply == Reply(text=bad)
    assert first.failure.kind == "misfit"
    assert fault in first.failure.message
    assert second.failure is None
    question, said, note = model.requests[1].messages
    assert (question, said.role, said.content, note.role) == (QUESTION, "assistant", bad, "user")
    assert fault in note.content
    assert "seen" not in note.content  # what the model said is data, and stays in its own turn
    assert model.requests[1].json_schema == model.requests[0].json_schema


def test_a_second_misfit_is_an_error_that_keeps_the_cost_of_both():
    bad = Reply(text="{}", usage=Usage(10, 2))
    with pytest.raises(errors.StructuredOutputError, match="expected an object") as caught:
        asked(bad, Reply(text="[]", usage=Usage(30, 4)))
    assert caught.value.usage == Usage(40, 6)
    assert caught.value.text == "[]"
    assert "doctor --model" in caught.value.remedy
    with pytest.raises(errors.StructuredOutputError) as caught:
        asked(Reply(text="{}", usage=Usage(10, 2)), "{}")
    assert caught.value.usage is None  # an unknown cost stays unknown


def test_a_reply_cut_short_may_be_twice_as_long():
    answer, model = asked(errors.TruncatedReplyError("cut", text='{"rea'), GOOD)
    assert [request.max_tokens for request in model.requests] == [100, 200]
    assert model.requests[1].messages == REQUEST.messages
    failure = answer.calls[0].failure
    assert (failure.kind, failure.text) == ("truncated", '{"rea')
    assert answer.calls[0].reply is None


@pytest.mark.parametrize(
    "error",
    [
        EmptyReplyError("the reply holds no answer"),
        errors.RefusedReplyError("the model declined", text="No."),
        errors.MalformedReplyError("expected a chat completion", text="<html>"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_answer_is_asked_for_again_in_the_same_turn(error):
    _, model = asked(error, GOOD)
    (message,) = model.requests[1].messages
    assert message.role == "user"
    assert message.content.startswith("Is it so?\n\n")
    assert error.message in message.content


@pytest.mark.parametrize(
    "kind",
    [
        errors.TruncatedReplyError,
        EmptyReplyError,
        errors.RefusedReplyError,
        errors.MalformedReplyError,
    ],
)
def test_the_second_failure_keeps_its_name(kind):
    with pytest.raises(kind) as caught:
        asked(EmptyReplyError("first", usage=Usage(1, 2)), kind("again", usage=Usage(3, 4)))
    assert caught.value.usage == Usage(4, 6)


def test_a_call_that_failed_is_made_again_as_it_was():
    answer, model = asked(FailedCallError("no reply"), GOOD)
    first, second = model.requests
    assert first == second
    assert [call.repair for call in answer.calls] == [False, True]
    failure = answer.calls[0].failure
    assert failure.kind == "failed"


def test_the_time_a_reply_took_is_kept():
    class Slow(ScriptedModel):
        async def complete(self, request):
            await asyncio.sleep(0.05)
            return await super().complete(request)

    answer = asyncio.run(ask(Slow(["{}", GOOD]), REQUEST, Verdict))
    assert all(0.05 <= call.latency_s < 5 for call in answer.calls)


def test_a_check_is_part_of_what_fits():
    def seen(verdict):
        if verdict.reason != "seen":
            raise ValueError("the reason must be 'seen'")

    other = '{"reason": "heard", "label": "yes"}'
    model = ScriptedModel([other, GOOD])
    answer = asyncio.run(ask(model, REQUEST, Verdict, seen))
    assert answer.value == YES
    assert "the reason must be 'seen'" in model.requests[1].messages[-1].content


@pytest.mark.parametrize("said", ["E1", "e1", "[E1]", "segment E1", "E1, E12", "the page E1."])
def test_an_id_is_a_choice_of_those_shown_however_it_is_spelt(said):
    class Cited(Value):
        keys: tuple[Annotated[str, IdOf("keys")], ...]

    model = ScriptedModel([json.dumps({"keys": [said, "E3", "article"]})])
    shown = ("E1", "E12", "rubric-1")
    answer = asyncio.run(ask(model, REQUEST, Cited, ids={"keys": shown}))
    assert answer.value.keys == ("E1", "E3", "article")
    schema = model.requests[0].json_schema.schema_
    assert schema["properties"]["keys"]["items"] == {"type": "string", "enum": [*shown]}


def test_control_characters_that_a_server_lets_through_are_blanks():
    answer, _ = asked('{"reason":\n\t"a\tb\x00c\x1f", \r\n"label": "yes"}')
    assert answer.value == Verdict(reason="a b c ", label="yes")
    escaped, _ = asked('{"reason": "a\\tb", "label": "yes"}')
    assert escaped.value.reason == "a\tb"


def test_a_number_in_quotes_is_no_number():
    class Count(Value):
        count: int

    model = ScriptedModel(['{"count": "4"}', '{"count": 4}'])
    answer = asyncio.run(ask(model, REQUEST, Count))
    assert answer.value.count == 4
    model.assert_finished()


SOURCE = """---
id: is_it_so
version: 3
variables: [claim]
---
# system
You judge.
# user
Is it so: {{ claim }}?
"""


@pytest.fixture
def prompt(tmp_path):
    path = tmp_path / "is_it_so.prompt.md"
    path.write_text(SOURCE, encoding="utf-8")
    return load_prompt(path)


class Asked:
    """One question to a scripted model, with all that was recorded of it."""

    def __init__(self, *replies):
        self.records: list[CallRecord] = []
        self.model = ScriptedModel(replies, name="tiny")
        sampling = Sampling(temperature=0.7, top_p=0.9, max_tokens=50, seed=None)
        self.prompted = PromptedModel(self.model, sampling, self.records.append, revision="r1")

    def __call__(self, prompt, claim="rain is wet"):
        try:
            return asyncio.run(self.prompted.answer(prompt, Verdict, claim=claim))
        finally:
            self.model.assert_finished()


def test_the_rendered_prompt_is_asked_with_the_given_sampling(prompt):
    ask = Asked(GOOD)
    assert ask(prompt) == Verdict(reason="seen", label="yes")
    (request,) = ask.model.requests
    assert request.messages == (
        Message(role="system", content="You judge."),
        Message(role="user", content="Is it so: rain is wet?"),
    )
    assert (request.model, request.revision) == ("tiny", "r1")
    assert (request.temperature, request.top_p) == (0.7, 0.9)
    assert (request.max_tokens, request.seed) == (50, None)


def test_a_call_is_recorded_with_its_prompt_and_cost(prompt):
    ask = Asked(Reply(text=GOOD, usage=Usage(10, 4)))
    ask(prompt)
    (record,) = ask.records
    assert record.latency_s >= 0
    assert record.model_dump(exclude={"latency_s"}) == {
        "prompt_id": "is_it_so",
        "prompt_version": 3,
        "prompt_hash": prompt.fingerprint,
        "model": "tiny",
        "request": ask.model.requests[0].fingerprint(),
        "prompt_tokens": 10,
        "completion_tokens": 4,
        "cached": False,
        "failure": None,
        "repair": False,
    }
    replayed = Asked(Reply(text=GOOD, cached=True))
    replayed(prompt)
    assert (replayed.records[0].cached, replayed.records[0].prompt_tokens) == (True, None)


def test_both_turns_are_recorded(prompt):
    ask = Asked(Reply(text="{}", usage=Usage(10, 2)), Reply(text=GOOD, usage=Usage(30, 4)))
    ask(prompt)
    found = [(one.failure, one.repair, one.prompt_tokens) for one in ask.records]
    assert found == [("misfit", False, 10), (None, True, 30)]
    assert [one.request for one in ask.records] == [
        request.fingerprint() for request in ask.model.requests
    ]


def test_calls_that_end_in_an_error_are_recorded_too(prompt):
    ask = Asked(EmptyReplyError("nothing", usage=Usage(5, 1)), FailedCallError("no reply"))
    with pytest.raises(FailedCallError):
        ask(prompt)
    found = [(one.failure, one.repair, one.completion_tokens) for one in ask.records]
    assert found == [("empty", False, 1), ("failed", True, None)]
    ask = Asked("{}", errors.ModelUnavailableError("gone"))
    with pytest.raises(errors.ModelUnavailableError):
        ask(prompt)
    assert [one.failure for one in ask.records] == ["misfit"]


def test_every_fault_is_named():
    check_each_once(["a", "b"], ["b", "a"])
    check_each_once([], [])
    with pytest.raises(ValueError, match="give each id once") as raised:
        check_each_once(["a", "b", "c"], ["a", "a", "d"])
    assert str(raised.value).endswith("missing: b, c; not asked for: d; more than once: a")
