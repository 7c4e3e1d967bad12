"""What fell is told anew by the writer, and free room is filled; or the reserve steps in."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.generation.extractive.performers import ExtractiveReviser
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.prompted.write_report import PromptedReviser
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
    Revision,
)
from tests.helpers.asking.conversation import Asked, outside_fences, scripted
from tests.helpers.asking.report_case import ANGLES, COUNT, HOLDS, LARK, OWNER, PROFILE, READ

if TYPE_CHECKING:
    from sidelight.text_vectors import Encode

STANDS = DraftSentence(
    text="The Orrin Post has belonged to Lark Media since 2011.",
    segment_ids=(OWNER.segment_id,),
    covers={"owner": 0.9},
)
REMOVED = DraftSentence(
    text="Nearly 1,000 boats lie in the harbour of Orrin.",
    segment_ids=(LARK.segment_id,),
    covers={"boats": 0.9},
)
WAITS = DraftSentence(text=HOLDS.text, segment_ids=HOLDS.segment_ids, covers=HOLDS.answers)
CHECKED = CheckedReport(
    draft=DraftReport(sentences=(STANDS,), reserve=(WAITS,)),
    removed=(Removal(sentence=REMOVED, label="none", reason="The source says 420."),),
)
ANEW = "Lark Media bought the Orrin Post."


def added(*sentences: tuple[str, list[str], str]) -> str:
    return json.dumps(
        {
            "sentences": [
                {"after": after, "keys": keys, "text": text} for after, keys, text in sentences
            ]
        }
    )


def revised(
    encode: Encode, asked: Asked, checked: CheckedReport = CHECKED, max_words: int = 250
) -> Revision:
    reviser = PromptedReviser(asked.model, encode, max_words)
    revision = asyncio.run(reviser(PROFILE, ANGLES, READ, checked, {}))
    asked.script.assert_finished()
    return revision


def texts(revision: Revision) -> list[str]:
    return [sentence.text for sentence in revision.draft.sentences]


def test_what_fell_is_told_anew_and_room_is_filled(lexical_encode: Encode) -> None:
    answer = added(("S1", ["C2"], HOLDS.text), ("start", ["E1", "E8"], ANEW))
    revision = revised(lexical_encode, scripted(answer))
    assert texts(revision) == [ANEW, STANDS.text, HOLDS.text]
    first, _, last = revision.draft.sentences
    assert (first.segment_ids, first.covers) == ((LARK.segment_id,), {"owner": 0.5})
    assert (last.segment_ids, last.covers) == ((COUNT.segment_id,), {"boats": 0.5})
    assert revision.draft.invented_keys == ("E8",)
    assert revision.draft.reserve == ()
    assert revision.evidence.items == ()


@pytest.mark.parametrize("after", ["S7", "", "S", "R1", "S²"])
def test_what_names_no_place_comes_last(lexical_encode: Encode, after: str) -> None:
    revision = revised(lexical_encode, scripted(added((after, ["E1"], ANEW))))
    assert texts(revision) == [STANDS.text, ANEW]


def test_nothing_worth_adding_adds_nothing(lexical_encode: Encode) -> None:
    revision = revised(lexical_encode, scripted(added()))
    assert texts(revision) == [STANDS.text]
    assert revision.draft.reserve == (WAITS,)


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (added(("S1", ["E1"], f"{ANEW} That is a lot.")), "more than one sentence"),
        (added(("S1", ["E7"], ANEW)), "rests on no key"),
        (added(("S1", ["E1"], "Boats " * 40 + "lie.")), "41 words together, and 21 are free"),
    ],
)
def test_what_is_wrong_is_repaired_once(lexical_encode: Encode, bad: str, fault: str) -> None:
    asked = scripted(bad, added(("S1", ["E1"], ANEW)))
    assert ANEW in texts(revised(lexical_encode, asked, max_words=31))
    (note,) = asked.notes()
    assert fault in note
    # What still will not do is left out.
    still = revised(lexical_encode, scripted(bad, bad), max_words=31)
    assert texts(still) == [STANDS.text]
    with pytest.raises(StructuredOutputError):
        revised(lexical_encode, scripted("{}", "{}"), max_words=31)


def test_without_room_nobody_is_asked(lexical_encode: Encode) -> None:
    assert texts(revised(lexical_encode, scripted(), max_words=10)) == [STANDS.text]


def test_the_request_shows_what_stands_what_fell_and_what_is_left(lexical_encode: Encode) -> None:
    asked = scripted(added())
    revised(lexical_encode, asked)
    outside = outside_fences(asked.user())
    assert f"S1 [stands] {STANDS.text}" in asked.user()
    assert f"- [E1] {REMOVED.text}" in asked.user()
    assert "- fault: The source says 420." in asked.user()
    for shown in ("Ignore the rules", REMOVED.text, "The source says 420.", HOLDS.text):
        assert shown in asked.user()
        assert shown not in outside


def test_without_a_model_the_reserve_steps_in() -> None:
    def revise(checked: CheckedReport) -> Revision:
        reviser = ExtractiveReviser(max_report_words=250)
        return asyncio.run(reviser(PROFILE, ANGLES, READ, checked, {}))

    assert texts(revise(CHECKED)) == [STANDS.text, WAITS.text]
    nothing = CHECKED.model_copy(update={"draft": DraftReport(sentences=())})
    assert revise(nothing).draft == NOTHING_FOUND
