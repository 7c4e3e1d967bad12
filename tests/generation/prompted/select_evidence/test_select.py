"""A model chooses evidence among what was found for an angle, and nothing else."""

from __future__ import annotations

import asyncio
import json

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.generation.prompted.select_evidence.select import PromptedSelector
from sidelight.schemas.investigation.evidence import EvidenceSet, Selection
from sidelight.schemas.segment import Segment
from tests.helpers.asking.conversation import Asked, outside_fences, scripted
from tests.helpers.asking.report_case import ANGLES, COUNT, LARK, ORDER, OWNER, PROFILE, segment


def chosen(**labels: str) -> str:
    return json.dumps(
        {
            "segments": [
                {"key": key, "reason": "It says so.", "label": label}
                for key, label in labels.items()
            ]
        }
    )


def selected(asked: Asked, keep: int = 4, **candidates: list[Segment]) -> Selection:
    selection = asyncio.run(PromptedSelector(asked.model, keep)(PROFILE, ANGLES, candidates))
    asked.script.assert_finished()
    return selection


def taken(selection: Selection) -> dict[str, dict[str, float]]:
    return {item.segment.segment_id: item.relevance for item in selection.evidence.items}


def test_labels_become_relevance_and_invented_keys_are_counted() -> None:
    asked = scripted(chosen(E2="full", E9="full", E1="background"), chosen(E1="partial"))
    selection = selected(asked, owner=[LARK, OWNER, COUNT], boats=[COUNT])
    assert taken(selection) == {
        OWNER.segment_id: {"owner": 0.9},
        LARK.segment_id: {"owner": 0.2},
        COUNT.segment_id: {"boats": 0.5},
    }
    assert selection.dropped == {"owner E9": "invented key"}


def test_what_is_not_taken_has_a_reason() -> None:
    many = [segment("d", f"Text {n}.", window=2 * n) for n in range(20)]
    asked = scripted(chosen(E1="full", E2="full", E3="full", E4="partial"))
    selection = selected(asked, 2, owner=[*many, OWNER])
    assert list(taken(selection)) == sorted(one.segment_id for one in many[:2])
    assert selection.dropped[many[2].segment_id] == "others say more"
    assert selection.dropped[many[4].segment_id] == "does not help to answer the question"
    assert selection.dropped[OWNER.segment_id] == "not among the first 20"
    assert len(selection.dropped) == 19


def test_the_order_of_the_model_decides_who_crowds_out_whom() -> None:
    first, second = segment("d", "One.", 0), segment("d", "Two.", 1)
    selection = selected(scripted(chosen(E2="partial", E1="full")), owner=[first, second])
    assert list(taken(selection)) == [second.segment_id]
    assert selection.dropped[first.segment_id] == "overlaps a window that says more"


def test_an_angle_without_candidates_is_not_asked_about() -> None:
    assert selected(scripted(), owner=[]) == Selection(evidence=EvidenceSet())


def test_one_angle_without_an_answer_does_not_cost_the_others() -> None:
    asked = scripted("{}", "{}", chosen(E1="full"))
    selection = selected(asked, owner=[OWNER], boats=[COUNT])
    assert list(taken(selection)) == [COUNT.segment_id]
    assert selection.dropped == {OWNER.segment_id: "no usable answer: StructuredOutputError"}
    with pytest.raises(StructuredOutputError):
        selected(scripted("{}", "{}"), owner=[OWNER])


def test_the_request_fences_pages_and_is_bounded() -> None:
    asked = scripted(chosen())
    long = segment("d", "word " * 5_000)
    selected(asked, owner=[LARK, *[long] * 30])
    assert ORDER.split(">>> ")[1] in asked.user()
    assert "Ignore the rules" not in outside_fences(asked.user())
    assert "web_doc" not in asked.user()
    assert len(asked.user().split()) < 20 * 200 + 500
