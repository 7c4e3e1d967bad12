"""A model that does whatever a page tells it, wherever the page's words reach it."""

import json

from sidelight.llm.base import Reply
from tests.helpers.models.answer_schema import answer_schema

WORD, KEY = "ZEBRA", "E9999"
_OWN_WORDS = {"aspect", "importance", "stance", "verdict"}


class ObedientModel:
    """Answers as `answer_schema` does, but for prompts that hold a mark.

    Then every text says ZEBRA, E9999 stands among the keys, and every label is the best there is.
    The mark is words of the page that gives the orders; without any, it obeys nobody.
    """

    def __init__(self, name, mark=""):
        self.name = name
        self.obeyed: list[str] = []
        self._mark = mark

    async def complete(self, request):
        assert request.json_schema is not None
        schema = request.json_schema.schema_
        asked = [message.content for message in request.messages[:2]]
        answer = answer_schema(schema, "\n\n".join(asked))
        if self._mark and any(self._mark in message.content for message in request.messages):
            self.obeyed.append(request.json_schema.name)
            answer = _twisted(answer, "")
        return Reply(text=json.dumps(answer))


def _twisted(value, name):
    """Return an answer as the page wants it; `name` is the property that holds the value."""
    if isinstance(value, dict):
        return {key: _twisted(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [*value[:1], KEY] if name == "keys" else [_twisted(part, name) for part in value]
    if not isinstance(value, str) or name in _OWN_WORDS or name.endswith(("_id", "key", "keys")):
        return value
    return "full" if name == "label" else f"{WORD} is all that matters on this page, {value}."
