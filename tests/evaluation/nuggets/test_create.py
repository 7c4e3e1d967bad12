"""Nuggets from documents: several models, one list, weighed ten at a time."""

from __future__ import annotations

import asyncio
import json

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.evaluation.nuggets.create import create_nuggets, documents_to_read
from sidelight.tracks import load_track
from tests.helpers.asking.conversation import scripted

IMPORTANCE = load_track("rag2025").scales["nugget_importance"]


def listed(*texts: str) -> str:
    return json.dumps({"nuggets": texts})


def weighed(*labels: str, first: int = 1) -> str:
    numbered = enumerate(labels, start=first)
    return json.dumps({"labels": [{"number": n, "label": label} for n, label in numbered]})


def test_related_documents_are_read_the_most_relevant_first() -> None:
    assert documents_to_read({"a": 1, "b": 0, "c": 3, "d": 1}) == ["c", "a", "d"]


def test_a_list_grows_window_by_window() -> None:
    documents = [f"Document {n}." for n in range(12)]
    asked = scripted(listed("One fact"), listed("One fact", "Two facts"), weighed("vital", "okay"))
    bank = asyncio.run(create_nuggets("t", "why?", documents, [asked.model], IMPORTANCE))
    assert bank is not None
    assert [(one.text, one.importance.name) for one in bank.nuggets] == [
        ("One fact", "vital"),
        ("Two facts", "okay"),
    ]
    assert "Document 9." in asked.user(0)
    assert "Document 10." not in asked.user(0)
    assert "- One fact" in asked.user(1)


def test_lists_of_several_models_are_merged_by_the_first() -> None:
    first = scripted(listed("A fact"), listed("A fact", "B fact"), weighed("vital", "vital"))
    second = scripted(listed("B fact"))
    models = [first.model, second.model]
    bank = asyncio.run(create_nuggets("t", "why?", ["Text."], models, IMPORTANCE))
    assert bank is not None
    assert len(bank.nuggets) == 2
    assert "BEGIN list 2" in first.user(1)
    first.script.assert_finished()


def test_eleven_nuggets_are_weighed_in_two_windows() -> None:
    facts = [f"Fact number {n}" for n in range(11)]
    asked = scripted(listed(*facts), weighed(*["okay"] * 10), weighed("vital"))
    bank = asyncio.run(create_nuggets("t", "why?", ["Text."], [asked.model], IMPORTANCE))
    assert bank is not None
    assert [one.importance.name for one in bank.nuggets] == ["okay"] * 10 + ["vital"]


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ([f"Fact {n}" for n in range(31)], "at most 30 items"),
        (["a b c d e f g h i j k l m"], "13 words; expected 1 to 12"),
        (["A fact", "a  Fact"], "says what an earlier one does"),
        ([""], "0 words"),
    ],
)
def test_what_is_no_list_of_nuggets_is_refused(texts: list[str], says: str) -> None:
    asked = scripted(listed(*texts), listed(*texts))
    with pytest.raises(StructuredOutputError, match=says):
        asyncio.run(create_nuggets("t", "why?", ["Text."], [asked.model], IMPORTANCE))


def test_a_label_for_each_nugget() -> None:
    asked = scripted(listed("A fact", "B fact"), weighed("vital"), weighed("vital"))
    with pytest.raises(StructuredOutputError, match="missing: 2"):
        asyncio.run(create_nuggets("t", "why?", ["Text."], [asked.model], IMPORTANCE))


def test_nothing_to_tell_is_no_bank() -> None:
    asked = scripted(listed())
    assert asyncio.run(create_nuggets("t", "?", ["Text."], [asked.model], IMPORTANCE)) is None
