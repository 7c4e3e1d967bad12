"""Nuggets held against answers: windows of ten, a label for each, the rest unjudged."""

from __future__ import annotations

import asyncio
import json

from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.nuggets.create import LearnedAssigner, PromptedAssigner, assign_runs
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import Nugget, NuggetBank
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, SubmittedReport
from sidelight.tracks import load_track
from tests.helpers.asking.conversation import scripted

VITAL = load_track("rag2025").scales["nugget_importance"].label("vital")


def bank(*texts: str) -> NuggetBank:
    return NuggetBank(
        topic_id="1", nuggets=tuple(Nugget(text=text, importance=VITAL) for text in texts)
    )


def labels(*given: str) -> str:
    rows = [
        {"number": number, "reason": "It says so.", "label": label}
        for number, label in enumerate(given, start=1)
    ]
    return json.dumps({"labels": rows})


def test_twelve_nuggets_are_two_windows() -> None:
    asked = scripted(labels(*["support"] * 10), labels("not_support", "partial_support"))
    assigner = PromptedAssigner(Assessor(asked.model))
    found = asyncio.run(assigner(bank(*(f"fact {n}" for n in range(12))), "why?", "An answer."))
    assert [one.label for one in found] == ["support"] * 10 + ["not_support", "partial_support"]
    assert "1. fact 10\n2. fact 11" in asked.user(1)


def test_what_a_reply_leaves_out_twice_is_unjudged() -> None:
    asked = scripted(labels("support"), labels("support"))
    assigner = PromptedAssigner(Assessor(asked.model))
    first, second = asyncio.run(assigner(bank("a fact", "b fact"), "why?", "An answer."))
    assert first.label == "support"
    assert isinstance(second.label, Unjudged)
    assert "missing: 2" in second.label.reason


def test_an_empty_answer_tells_nothing_and_nobody_is_asked() -> None:
    found = asyncio.run(PromptedAssigner(Assessor(scripted().model))(bank("a fact"), "why?", " "))
    assert [one.label for one in found] == ["not_support"]


def test_runs_are_assigned_without_a_model() -> None:
    text = "The Peat Association pays half of the journal's budget."
    report = SubmittedReport(
        metadata=ReportMetadata(team_id="t", run_id="r", topic_id="1"),
        responses=(CitedSentence(text=text),),
    )
    other = report.model_copy(
        update={"metadata": ReportMetadata(team_id="t", run_id="r", topic_id="2")}
    )
    run = ReportRun(run_tag="r", reports=(report, other))
    nuggets = bank("Peat Association pays half of the budget", "The moon is made of cheese")
    (found,) = asyncio.run(
        assign_runs([run], {"1": nuggets}, {"1": "who pays?"}, LearnedAssigner(None))
    )
    assert found.labels == ("support", "not_support")
    assert (found.run_tag, found.query, found.answer) == ("r", "who pays?", text)
