from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sidelight.llm.base import JsonSchema, Message, Reply, Request

REQUEST = Request(
    model="tiny",
    revision="1",
    messages=(Message(role="user", content="Who?"),),
    json_schema=JsonSchema(name="Pair", schema={"properties": {"a": {}, "b": {}}}),
)
CHANGES: dict[str, Any] = {
    "model": "large",
    "revision": "2",
    "messages": (Message(role="system", content="Who?"),),
    "json_schema": JsonSchema(name="Duo", schema={"properties": {"a": {}, "b": {}}}),
    "temperature": 0.1,
    "top_p": 0.9,
    "max_tokens": 7,
    "reasoning_effort": "low",
    "seed": None,
}


def test_the_changes_below_are_of_every_field():
    assert set(CHANGES) == set(Request.model_fields)


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_is_in_the_fingerprint(field):
    changed = REQUEST.model_copy(update={field: CHANGES[field]})
    assert changed.fingerprint() != REQUEST.fingerprint()


@pytest.mark.parametrize("deep", [False, True])
def test_a_changed_copy_does_not_keep_the_json_of_the_original(deep):
    original = REQUEST.as_json
    changed = REQUEST.model_copy(update={"max_tokens": 8}, deep=deep)
    assert changed.as_json == original.replace(b":2048", b":8") != original


def test_the_order_of_keys_in_a_schema_is_in_the_fingerprint():
    turned = JsonSchema(name="Pair", schema={"properties": {"b": {}, "a": {}}})
    changed = REQUEST.model_copy(update={"json_schema": turned})
    assert changed.fingerprint() != REQUEST.fingerprint()


def test_the_fingerprint_stays_what_it_was():
    # A cache made by an earlier version is worth nothing once this changes.
    assert REQUEST.fingerprint() == (
        "b5ba6993b9305bcd8a202072a0d47b610f0858b4894b6682a7bcc57729637531"
    )


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()), min_size=1))
def test_a_request_read_back_has_the_same_fingerprint(turns):
    messages = tuple(Message.model_validate({"role": r, "content": c}) for r, c in turns)
    request = Request(model="tiny", messages=messages, temperature=0)
    read = Request.model_validate_json(request.model_dump_json(by_alias=True))
    assert read.fingerprint() == request.fingerprint()


def test_what_cannot_be_asked_or_answered():
    with pytest.raises(ValidationError):
        Request(model="tiny", messages=())
    with pytest.raises(ValidationError):
        JsonSchema(name="two words", schema={})
    with pytest.raises(ValidationError):
        Reply(text="")
