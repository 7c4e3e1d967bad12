from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import pytest

from sidelight.errors import EmptyReplyError, FailedCallError, Usage
from sidelight.llm.base import Message, Reply
from sidelight.llm.prompted import CallRecord, PromptedModel, Sampling
from sidelight.llm.scripted import Line, ScriptedModel
from sidelight.prompting import Prompt, load_prompt
from sidelight.schemas.base import Value

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
GOOD = '{"reason": "seen", "label": "yes"}'


class Verdict(Value):
    reason: str
    label: Literal["yes", "no"]


@pytest.fixture
def prompt(tmp_path: Path) -> Prompt:
    path = tmp_path / "is_it_so.prompt.md"
    path.write_text(SOURCE, encoding="utf-8")
    return load_prompt(path)


class Asked:
    """One question to a scripted model, with all that was recorded of it."""

    def __init__(self, *replies: Line) -> None:
        self.records: list[CallRecord] = []
        self.model = ScriptedModel(replies, name="tiny")
        sampling = Sampling(temperature=0.7, top_p=0.9, max_tokens=50, seed=None)
        self.prompted = PromptedModel(self.model, sampling, self.records.append, revision="r1")

    def __call__(self, prompt: Prompt, claim: str = "rain is wet") -> Verdict:
        try:
            return asyncio.run(self.prompted.answer(prompt, Verdict, claim=claim))
        finally:
            self.model.assert_finished()


def test_the_rendered_prompt_is_asked_with_the_given_sampling(prompt: Prompt) -> None:
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


def test_a_call_is_recorded_with_its_prompt_and_cost(prompt: Prompt) -> None:
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


def test_a_replayed_reply_is_recorded_as_such(prompt: Prompt) -> None:
    ask = Asked(Reply(text=GOOD, cached=True))
    ask(prompt)
    assert ask.records[0].cached
    assert ask.records[0].prompt_tokens is None


def test_both_turns_are_recorded(prompt: Prompt) -> None:
    ask = Asked(Reply(text="{}", usage=Usage(10, 2)), Reply(text=GOOD, usage=Usage(30, 4)))
    ask(prompt)
    found = [(one.failure, one.repair, one.prompt_tokens) for one in ask.records]
    assert found == [("misfit", False, 10), (None, True, 30)]
    assert [one.request for one in ask.records] == [
        request.fingerprint() for request in ask.model.requests
    ]


def test_calls_that_end_in_an_error_are_recorded_too(prompt: Prompt) -> None:
    ask = Asked(EmptyReplyError("nothing", usage=Usage(5, 1)), FailedCallError("no reply"))
    with pytest.raises(FailedCallError):
        ask(prompt)
    found = [(one.failure, one.repair, one.completion_tokens) for one in ask.records]
    assert found == [("empty", False, 1), ("failed", True, None)]
