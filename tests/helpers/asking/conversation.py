"""A scripted model behind a role or a check, and a look at what it was asked."""

import json
import re
from typing import NamedTuple

from sidelight.llm.prompted import CallRecord, PromptedModel, Sampling
from tests.helpers.models.scripted_model import ScriptedModel


class Asked(NamedTuple):
    """A model that answers from a script, and the record of its calls."""

    model: PromptedModel
    script: ScriptedModel
    records: list[CallRecord]

    def user(self, call=0):
        """What the user said first in a call."""
        return self.script.requests[call].messages[1].content

    def notes(self):
        """What the repair turns said was wrong."""
        turns = (request.messages for request in self.script.requests)
        return [messages[-1].content for messages in turns if len(messages) > 2]


def scripted(*replies, **always):
    script, records = ScriptedModel(replies, always=always), list[CallRecord]()
    return Asked(PromptedModel(script, Sampling(), records.append), script, records)


def nobody(error):
    """Steps in for no part of a step."""
    raise error


def says(**fields):
    return json.dumps(fields)


def fences(text):
    """The lines that a model takes for our marks."""
    return [line for line in text.splitlines() if "<<<" in line or ">>>" in line]


def outside_fences(text):
    """What a prompt says outside the marks, which is all our own."""
    return re.sub(r"<<<BEGIN (.*?)>>>.*?<<<END \1>>>", "", text, flags=re.DOTALL)
