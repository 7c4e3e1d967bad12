"""The baselines of 2024: one call, order kept, limits checked."""

from __future__ import annotations

import asyncio
import json

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.generation.prompted.write_questions import (
    ExampleQuestionWriter,
    OrganizersQuestionWriter,
)
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from tests.helpers.asking.conversation import Asked, scripted

PROFILE = ArticleProfile(publisher="Orrin Post", host="orrinpost.example", subject="x", body="Y.")
TEN = [f"What happened at pier {n} in Orrin?" for n in range(10)]


def written(asked: Asked, *, example: bool = False) -> tuple[str, ...]:
    made = ExampleQuestionWriter if example else OrganizersQuestionWriter
    writer = made(asked.model, 10, 120)
    draft = asyncio.run(writer(PROFILE, [], EvidenceSet()))
    asked.script.assert_finished()
    return draft.questions


def listed(*questions: str) -> str:
    return json.dumps({"questions": questions})


@pytest.mark.parametrize("example", [False, True])
def test_the_order_is_the_models(example: bool) -> None:
    asked = scripted(listed(*TEN[::-1]))
    assert written(asked, example=example) == tuple(TEN[::-1])
    assert ("Quillport" in asked.user()) is example


@pytest.mark.parametrize(
    ("bad", "note"),
    [
        (TEN[:9], "found 9"),
        ([*TEN[:9], TEN[0].upper()], "asked twice"),
        ([*TEN[:9], "x" * 120 + "?"], "over 120"),
        ([*TEN[:9], "No question."], "question mark"),
    ],
)
def test_a_bad_list_is_sent_back(bad: list[str], note: str) -> None:
    asked = scripted(listed(*bad), listed(*TEN))
    assert written(asked) == tuple(TEN)
    assert note in asked.notes()[0]
    with pytest.raises(StructuredOutputError, match=note):
        written(scripted(listed(*bad), listed(*bad)))
