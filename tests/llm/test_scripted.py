from __future__ import annotations

import asyncio

import pytest

from sidelight.errors import EmptyReplyError
from sidelight.llm.base import Message, Reply, Request
from sidelight.llm.scripted import ScriptedModel

REQUEST = Request(model="scripted", messages=(Message(role="user", content="Who?"),))


def ask(model: ScriptedModel) -> Reply:
    return asyncio.run(model.complete(REQUEST))


def test_replies_come_in_order_and_the_script_is_used_up() -> None:
    model = ScriptedModel(["Ada", Reply(text="Bob", reasoning="Hm."), EmptyReplyError("nothing")])
    assert ask(model) == Reply(text="Ada")
    assert ask(model) == Reply(text="Bob", reasoning="Hm.")
    with pytest.raises(AssertionError, match="1 scripted replies were never asked for"):
        model.assert_finished()
    with pytest.raises(EmptyReplyError, match="nothing"):
        ask(model)
    model.assert_finished()
    with pytest.raises(AssertionError, match=r"call 4 is one more than the script has.*Who"):
        ask(model)
