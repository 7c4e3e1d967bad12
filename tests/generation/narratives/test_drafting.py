"""Narratives of two or three sentences, and at most ten sub-narratives in two steps."""

from __future__ import annotations

import asyncio
import json

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.generation.narratives import split_into_sub_narratives, write_narrative
from tests.helpers.asking.conversation import scripted

NARRATIVE = "I want to know who pays for the journal. I also ask what its critics say."


def listed(*texts: str, importance: str = "vital") -> str:
    return json.dumps(
        {"sub_narratives": [{"text": text, "importance": importance} for text in texts]}
    )


def test_the_second_step_sees_the_first_list_and_its_own_counts() -> None:
    drafter, reviser = scripted(listed("Who pays?", "Who owns?")), scripted(listed("Who  pays?"))
    found = asyncio.run(
        split_into_sub_narratives(NARRATIVE, ["owner"], drafter.model, reviser.model)
    )
    assert [(one.text, one.importance) for one in found] == [("Who pays?", "vital")]
    assert "- owner" in drafter.user()
    assert "- Who pays?\n- Who owns?" in reviser.user()
    assert "first draft" in reviser.user()


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ([f"Question {n}?" for n in range(11)], "at most 10 items"),
        (["one two three four five six seven eight nine ten eleven twelve thirteen"], "13 words"),
        (["Who pays?", "who pays?"], "what an earlier one does"),
        ([" "], "0 words"),
        ([], "at least 1 item"),
    ],
)
def test_what_is_no_list_of_sub_narratives_is_refused(texts: list[str], says: str) -> None:
    asked = scripted(listed(*texts), listed(*texts))
    with pytest.raises(StructuredOutputError, match=says):
        asyncio.run(split_into_sub_narratives(NARRATIVE, [], asked.model, asked.model))


def test_a_list_that_is_too_long_is_mended_once() -> None:
    long = listed(*(f"Question {n}?" for n in range(11)))
    asked = scripted(long, listed("Who pays?"), listed("Who pays?"))
    found = asyncio.run(split_into_sub_narratives(NARRATIVE, [], asked.model, asked.model))
    assert [one.text for one in found] == ["Who pays?"]
    assert len(asked.notes()) == 1


def test_a_narrative_has_two_or_three_sentences() -> None:
    one = json.dumps({"narrative": "I want to know all of it."})
    asked = scripted(one, json.dumps({"narrative": NARRATIVE}))
    assert asyncio.run(write_narrative(["who pays", "critics"], asked.model)) == NARRATIVE
    assert "1 sentences; expected two or three" in asked.notes()[0]
