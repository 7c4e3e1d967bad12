"""A model puts search results in order, and can neither add nor leave out any."""

import asyncio
import json

import pytest

from sidelight.errors import ReplyError
from sidelight.generation.prompted.documents import PromptedRanker
from tests.helpers.asking.conversation import nobody, scripted
from tests.helpers.asking.report_case import COUNT, LARK, OWNER

FOUND = [LARK, OWNER, COUNT]


def order(*keys):
    return json.dumps({"keys": keys})


def ranked(asked, failures=None):
    ranker = PromptedRanker(asked.model, nobody if failures is None else failures.append)
    places = asyncio.run(ranker("Who owns it?", FOUND))
    asked.script.assert_finished()
    return places


def test_keys_become_places():
    assert ranked(scripted(order("E3", "segment e1", "[E2]"))) == (2, 0, 1)


@pytest.mark.parametrize(
    "bad",
    [order("E1", "E2"), order("E1", "E2", "E2"), order("E1", "E2", "E9"), order(), "no JSON"],
    ids=["missing", "repeated", "invented", "empty", "broken"],
)
def test_an_order_that_is_none_is_repaired_once_and_then_left(bad):
    assert ranked(scripted(bad, order("E2", "E3", "E1"))) == (1, 2, 0)
    failures: list[ReplyError] = []
    assert ranked(scripted(bad, bad), failures) == (0, 1, 2)
    assert len(failures) == 1
