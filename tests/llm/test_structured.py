from __future__ import annotations

import asyncio
import contextlib
from typing import Literal

import pytest

from sidelight.errors import (
    EmptyReplyError,
    FailedCallError,
    MalformedReplyError,
    ModelUnavailableError,
    RefusedReplyError,
    ReplyError,
    StructuredOutputError,
    TruncatedReplyError,
    Usage,
)
from sidelight.llm.base import Message, Reply, Request
from sidelight.llm.scripted import Line, ScriptedModel
from sidelight.llm.structured import Answer, Call, ask
from sidelight.schemas.base import Value


class Verdict(Value):
    reason: str
    label: Literal["yes", "no"]


QUESTION = Message(role="user", content="Is it so?")
REQUEST = Request(model="scripted", messages=(QUESTION,), max_tokens=100)
GOOD = '{"reason": "seen", "label": "yes"}'
YES = Verdict(reason="seen", label="yes")


def asked(*replies: Line) -> tuple[Answer[Verdict], ScriptedModel]:
    model = ScriptedModel(replies)
    answer = asyncio.run(ask(model, REQUEST, Verdict))
    model.assert_finished()
    return answer, model


def test_a_valid_reply_takes_one_call() -> None:
    answer, model = asked(GOOD)
    assert answer.value == YES
    (call,) = answer.calls
    assert call.reply == Reply(text=GOOD)
    assert call.failure is None
    (request,) = model.requests
    assert call.request == request
    assert request.json_schema is not None
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
        ('{"reason": "seen", "label": "Yes"}', "label: Input should be 'yes' or 'no'"),
        ('{"reason": 1, "label": "yes"}', "reason: Input should be a valid string"),
        ('{"label": "yes"}', "reason: Field required"),
        ('{"reason": "", "label": "no", "score": 4}', "score: Extra inputs are not permitted"),
        ("[]", "Input should be an object"),
    ],
)
def test_an_answer_that_does_not_fit_is_shown_what_is_wrong(bad: str, fault: str) -> None:
    answer, model = asked(bad, GOOD)
    assert answer.value == YES
    first, second = answer.calls
    assert first.reply == Reply(text=bad)
    assert first.failure is not None
    assert first.failure.kind == "misfit"
    assert fault in first.failure.message
    assert second.failure is None
    question, said, note = model.requests[1].messages
    assert (question, said.role, said.content, note.role) == (QUESTION, "assistant", bad, "user")
    assert fault in note.content
    assert "seen" not in note.content  # what the model said is data, and stays in its own turn
    assert model.requests[1].json_schema == model.requests[0].json_schema


def test_a_second_misfit_is_an_error_that_keeps_the_cost_of_both() -> None:
    bad = Reply(text="{}", usage=Usage(10, 2))
    with pytest.raises(StructuredOutputError, match="should be an object") as caught:
        asked(bad, Reply(text="[]", usage=Usage(30, 4)))
    assert caught.value.usage == Usage(40, 6)
    assert caught.value.text == "[]"
    assert "doctor --model" in caught.value.remedy


def test_an_unknown_cost_stays_unknown() -> None:
    with pytest.raises(StructuredOutputError) as caught:
        asked(Reply(text="{}", usage=Usage(10, 2)), "{}")
    assert caught.value.usage is None


def test_a_reply_cut_short_may_be_twice_as_long() -> None:
    answer, model = asked(TruncatedReplyError("cut", text='{"rea'), GOOD)
    assert [request.max_tokens for request in model.requests] == [100, 200]
    assert model.requests[1].messages == REQUEST.messages
    failure = answer.calls[0].failure
    assert failure is not None
    assert (failure.kind, failure.text) == ("truncated", '{"rea')
    assert answer.calls[0].reply is None


@pytest.mark.parametrize(
    "error",
    [
        EmptyReplyError("the reply holds no answer"),
        RefusedReplyError("the model declined", text="No."),
        MalformedReplyError("expected a chat completion", text="<html>"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_answer_is_asked_for_again_in_the_same_turn(error: ReplyError) -> None:
    _, model = asked(error, GOOD)
    (message,) = model.requests[1].messages
    assert message.role == "user"
    assert message.content.startswith("Is it so?\n\n")
    assert error.message in message.content


@pytest.mark.parametrize(
    "kind", [TruncatedReplyError, EmptyReplyError, RefusedReplyError, MalformedReplyError]
)
def test_the_second_failure_keeps_its_name(kind: type[ReplyError]) -> None:
    with pytest.raises(kind) as caught:
        asked(EmptyReplyError("first", usage=Usage(1, 2)), kind("again", usage=Usage(3, 4)))
    assert caught.value.usage == Usage(4, 6)


def test_a_call_that_failed_is_made_again_as_it_was() -> None:
    answer, model = asked(FailedCallError("no reply"), GOOD)
    first, second = model.requests
    assert first == second
    assert [call.repair for call in answer.calls] == [False, True]
    failure = answer.calls[0].failure
    assert failure is not None
    assert failure.kind == "failed"


@pytest.mark.parametrize(
    ("replies", "kinds"),
    [
        ([GOOD], [None]),
        (["{}", GOOD], ["misfit", None]),
        ([EmptyReplyError("-"), "{}"], ["empty", "misfit"]),
        (["{}", ModelUnavailableError("gone")], ["misfit"]),
        ([ModelUnavailableError("gone")], []),
    ],
)
def test_every_call_is_reported_however_it_ends(
    replies: list[Line], kinds: list[str | None]
) -> None:
    calls: list[Call] = []
    with contextlib.suppress(ReplyError, ModelUnavailableError):
        asyncio.run(ask(ScriptedModel(replies), REQUEST, Verdict, on_call=calls.append))
    assert [call.failure and call.failure.kind for call in calls] == kinds


def test_the_time_a_reply_took_is_kept() -> None:
    class Slow(ScriptedModel):
        async def complete(self, request: Request) -> Reply:
            await asyncio.sleep(0.05)
            return await super().complete(request)

    answer = asyncio.run(ask(Slow(["{}", GOOD]), REQUEST, Verdict))
    assert all(0.05 <= call.latency_s < 5 for call in answer.calls)


def test_a_check_is_part_of_what_fits() -> None:
    def seen(verdict: Verdict) -> None:
        if verdict.reason != "seen":
            raise ValueError("the reason must be 'seen'")

    other = '{"reason": "heard", "label": "yes"}'
    model = ScriptedModel([other, GOOD])
    answer = asyncio.run(ask(model, REQUEST, Verdict, seen))
    assert answer.value == YES
    assert "the reason must be 'seen'" in model.requests[1].messages[-1].content


def test_control_characters_that_a_server_lets_through_are_blanks() -> None:
    answer, _ = asked('{"reason":\n\t"a\tb\x00c\x1f", \r\n"label": "yes"}')
    assert answer.value == Verdict(reason="a b c ", label="yes")
    escaped, _ = asked('{"reason": "a\\tb", "label": "yes"}')
    assert escaped.value.reason == "a\tb"


def test_a_number_in_quotes_is_no_number() -> None:
    class Count(Value):
        count: int

    model = ScriptedModel(['{"count": "4"}', '{"count": 4}'])
    answer = asyncio.run(ask(model, REQUEST, Count))
    assert answer.value.count == 4
    model.assert_finished()
