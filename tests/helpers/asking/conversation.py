"""A scripted model behind a role or a check, and a look at what it was asked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from sidelight.llm.prompted import CallRecord, PromptedModel, Sampling
from tests.helpers.models.scripted_model import Line, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.errors import ReplyError
    from sidelight.llm.base import Request


class Asked(NamedTuple):
    """A model that answers from a script, and the record of its calls."""

    model: PromptedModel
    script: ScriptedModel
    records: list[CallRecord]

    def user(self, call: int = 0) -> str:
        """What the user said first in a call."""
        return self.script.requests[call].messages[1].content

    def notes(self) -> list[str]:
        """What the repair turns said was wrong."""
        turns = (request.messages for request in self.script.requests)
        return [messages[-1].content for messages in turns if len(messages) > 2]


def scripted(*replies: Line | Callable[[Request], Line]) -> Asked:
    script, records = ScriptedModel(replies), list[CallRecord]()
    return Asked(PromptedModel(script, Sampling(), records.append), script, records)


def nobody(error: ReplyError) -> NoReturn:
    """Steps in for no part of a step."""
    raise error


def says(**fields: str) -> str:
    return json.dumps(fields)


def fences(text: str) -> list[str]:
    """The lines that a model takes for our marks."""
    return [line for line in text.splitlines() if "<<<" in line or ">>>" in line]


def outside_fences(text: str) -> str:
    """What a prompt says outside the marks, which is all our own."""
    return re.sub(r"<<<BEGIN (.*?)>>>.*?<<<END \1>>>", "", text, flags=re.DOTALL)
