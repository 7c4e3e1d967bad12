from __future__ import annotations

import asyncio
import json

from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.evaluation.labelling.relevance import PromptedRelevance
from sidelight.schemas.grading.judgment import Unjudged
from tests.helpers.asking.conversation import Asked, scripted


def reply(conclusion: str, *covered: int, beside: str = "none") -> str:
    return json.dumps({"covered": covered, "beside": beside, "conclusion": conclusion})


def judged(*replies: str) -> tuple[Judgment, Asked]:
    asked = scripted(*replies)
    judge = PromptedRelevance(Assessor(asked.model))
    found = asyncio.run(judge("14", "I want to know all.", ["Who pays?", "Who owns?"], "A page."))
    asked.script.assert_finished()
    return found, asked


def test_a_grade_comes_with_what_it_rests_on() -> None:
    found, asked = judged(reply("It answers one. ##final score: 2", 1))
    assert found == Judgment("2", "sub-narratives 1; beside: none")
    assert "1. Who pays?\n2. Who owns?" in asked.user()


def test_a_grade_that_does_not_follow_is_told() -> None:
    found, _ = judged(reply("##final score: 4", 2, 1, 2, beside="some"))
    assert found.label == "4"
    assert found.rationale.endswith("; by their number 2")


def test_a_reply_without_a_grade_is_mended_once_and_then_unjudged() -> None:
    found, asked = judged(reply("It is fine."), reply("##final score: 7"))
    assert isinstance(found.label, Unjudged)
    assert "expected the grade" in asked.notes()[0]
