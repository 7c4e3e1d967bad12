"""One writer sees every claim; code keeps the budget and turns claims into citations."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from sidelight.errors import EmptyReplyError, StructuredOutputError
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.prompted.write_report import PromptedReportWriter
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.text import budget_words
from tests.helpers.asking.conversation import Asked, outside_fences, scripted
from tests.helpers.asking.report_case import (
    ANGLES,
    COUNT,
    EVIDENCE,
    HOLDS,
    LARK,
    ORDER,
    OWNER,
    PROFILE,
    READ,
    SOLD,
)

if TYPE_CHECKING:
    from sidelight.schemas.investigation.report import DraftReport
    from sidelight.text_vectors import Encode

BOTH = (
    "While Lark Media has owned the Orrin Post since 2011, the Orrin Harbour Trust counted 420 "
    "boats in 2019."
)


def report(*written: tuple[str, list[str]]) -> str:
    return json.dumps({"sentences": [{"claim_keys": keys, "text": text} for text, keys in written]})


def wrote(
    encode: Encode, asked: Asked, evidence: EvidenceSet = READ, max_words: int = 250
) -> DraftReport:
    writer = PromptedReportWriter(asked.model, encode, max_words)
    draft = asyncio.run(writer(PROFILE, ANGLES, evidence))
    asked.script.assert_finished()
    return draft


def test_a_sentence_rests_on_what_its_claims_rest_on(lexical_encode: Encode) -> None:
    draft = wrote(lexical_encode, scripted(report((BOTH, ["C1", "C2", "C7"]))))
    (sentence,) = draft.sentences
    assert sentence.text == BOTH
    # The best of each claim comes first.
    assert sentence.segment_ids == (LARK.segment_id, COUNT.segment_id, OWNER.segment_id)
    assert sentence.covers == {"owner": 0.9, "boats": 0.5}
    assert draft.invented_keys == ("C7",)
    assert (draft.notes, draft.reserve) == ((), ())


def test_what_it_does_not_tell_waits(lexical_encode: Encode) -> None:
    draft = wrote(lexical_encode, scripted(report((SOLD.text, ["C1"]))))
    assert [one.text for one in draft.reserve] == [HOLDS.text]
    assert draft.reserve[0].segment_ids == (COUNT.segment_id,)


def test_claims_are_shown_by_question_with_page_speaker_and_what_they_go_against(
    lexical_encode: Encode,
) -> None:
    asked = scripted(report((SOLD.text, ["C1"])))
    wrote(lexical_encode, asked)
    text = asked.user()
    places = [
        text.index(part)
        for part in (
            "- owner [publisher, have to know] Who owns the Orrin Post?",
            f"C1 [b.example | Page b] {SOLD.text}",
            "- boats [figure, good to know]",
            f"C2 [c.example | Page c; says Orrin Harbour Trust] {HOLDS.text}",
            "- C2 goes against this: the article's 400 boats",
        )
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (report((BOTH, ["C9"])), "names no claim"),
        (report((f"{SOLD.text} {HOLDS.text}", ["C1", "C2"])), "more than one sentence"),
        (report((f"{BOTH[:-1]} [E1].", ["C1", "C2"])), "a citation or an id"),
        (report((f"{BOTH[:-1]}, which is false.", ["C1", "C2"])), "a verdict"),
        (report(("Boats " * 40 + "lie.", ["C1", "C2"])), "41 words together, 11 more"),
    ],
)
def test_what_is_wrong_is_repaired_or_the_claims_stand(
    lexical_encode: Encode, answer: str, fault: str
) -> None:
    right = report((SOLD.text, ["C1"]), (HOLDS.text, ["C2"]))
    asked = scripted(answer, right)
    draft = wrote(lexical_encode, asked, max_words=30)
    assert [one.text for one in draft.sentences] == [SOLD.text, HOLDS.text]
    (note,) = asked.notes()
    assert fault in note

    draft = wrote(lexical_encode, scripted(answer, answer), max_words=30)
    assert [one.text for one in draft.sentences] == [SOLD.text, HOLDS.text]
    assert sum(budget_words(one.text) for one in draft.sentences) <= 30
    assert draft.notes == ("not as its writer was asked to: StructuredOutputError",)


def test_what_stays_too_long_loses_its_end(lexical_encode: Encode) -> None:
    long = report((SOLD.text, ["C1"]), (HOLDS.text, ["C2"]))
    draft = wrote(lexical_encode, scripted(long, long), max_words=20)
    assert [one.text for one in draft.sentences] == [SOLD.text]
    assert [one.text for one in draft.reserve] == [HOLDS.text]


def test_without_an_answer_the_claims_stand(lexical_encode: Encode) -> None:
    nothing = [EmptyReplyError("a"), EmptyReplyError("b")]
    draft = wrote(lexical_encode, scripted(*nothing))
    assert [one.text for one in draft.sentences] == [SOLD.text, HOLDS.text]


def test_evidence_that_nobody_read_is_shown_as_it_stands(lexical_encode: Encode) -> None:
    asked = scripted(report((SOLD.text, ["C2"])))
    draft = wrote(lexical_encode, asked, EVIDENCE)
    assert draft.sentences[0].segment_ids == (LARK.segment_id,)
    assert "Ignore the rules" in asked.user()
    assert "Ignore the rules" not in outside_fences(asked.user())
    assert ORDER not in asked.user()
    with pytest.raises(StructuredOutputError):
        wrote(lexical_encode, scripted("{}", "{}"), EVIDENCE)


def test_nothing_to_say_takes_no_writing_call(lexical_encode: Encode) -> None:
    assert wrote(lexical_encode, scripted(), EvidenceSet()) == NOTHING_FOUND
