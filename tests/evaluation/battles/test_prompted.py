from __future__ import annotations

import asyncio
import json

import pytest

from sidelight.evaluation.battles import PromptedBattles, hold_battles
from sidelight.llm.base import Request
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, SubmittedReport
from tests.helpers.asking.conversation import scripted


def says(better: str) -> str:
    return json.dumps({"reason": "It answers.", "better": better})


def run(tag: str, **answers: str) -> ReportRun:
    return ReportRun(
        run_tag=tag,
        reports=tuple(
            SubmittedReport(
                metadata=ReportMetadata(team_id="t", run_id=tag, topic_id=topic),
                responses=(CitedSentence(text=text),) if text else (),
            )
            for topic, text in answers.items()
        ),
    )


@pytest.mark.parametrize(
    ("replies", "won"),
    [
        (("first", "second"), 1.0),  # the same answer in either place
        (("first", "first"), 0.5),  # always the one that stands first
        (("tie", "second"), 0.75),
        (("second", "first"), 0.0),
        (("tie", "tie"), 0.5),
    ],
)
def test_each_answer_stands_first_once(replies: tuple[str, str], won: float) -> None:
    asked = scripted(*map(says, replies))
    found, reason = asyncio.run(PromptedBattles(asked.model)("why?", "One.", "Two."))
    assert (found, reason) == (won, "It answers. / It answers.")
    assert asked.user(0).index("One.") < asked.user(0).index("Two.")
    assert asked.user(1).index("Two.") < asked.user(1).index("One.")


def test_an_empty_answer_loses_and_nobody_is_asked() -> None:
    battles = PromptedBattles(scripted().model)
    assert asyncio.run(battles("why?", " ", "Two."))[0] == 0.0
    assert asyncio.run(battles("why?", "One.", ""))[0] == 1.0
    assert asyncio.run(battles("why?", "", ""))[0] == 0.5


def test_what_nobody_can_decide_is_no_tie() -> None:
    asked = scripted(*["no JSON"] * 4)
    won, reason = asyncio.run(PromptedBattles(asked.model)("why?", "One.", "Two."))
    assert won is None
    assert "no valid BattleVerdict" in reason


def test_all_pairs_meet_on_every_topic_and_no_name_is_told() -> None:
    def longer(request: Request) -> str:
        user = request.messages[1].content
        assert "run-" not in user
        return says("first" if user.index("A long answer") < user.index("Short") else "second")

    asked = scripted(*[longer] * 4)
    runs = [run("run-b", t="Short."), run("run-a", t="A long answer."), run("run-c", u="Short.")]
    battles = asyncio.run(hold_battles(runs[:2], {"t": "why?"}, PromptedBattles(asked.model)))
    assert [(one.first, one.second, one.won) for one in battles] == [("run-a", "run-b", 1.0)]
    queries = {"t": "why?", "u": "who?", "v": "when?"}
    judge = PromptedBattles(scripted(longer, longer).model)
    battles = asyncio.run(hold_battles(runs, queries, judge))
    assert {one.topic_id for one in battles} == {"t", "u"}
    assert len(battles) == 5  # a and b on t, and c, which is missing there; c against both on u
