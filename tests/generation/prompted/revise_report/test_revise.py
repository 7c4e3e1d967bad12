"""What did not stand is written anew from what was found, or gives way to the reserve."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.generation.extractive.revise import ExtractiveReviser
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.prompted.revise_report.revise import PromptedReviser
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
    Revision,
)
from tests.helpers.asking.conversation import Asked, outside_fences, scripted
from tests.helpers.asking.report_case import (
    ANGLES,
    COUNT,
    EVIDENCE,
    LARK,
    ORDER,
    OWNER,
    PROFILE,
    segment,
)

if TYPE_CHECKING:
    from sidelight.text_vectors import Encode

STANDS = DraftSentence(
    text="The Orrin Post has belonged to Lark Media since 2011.",
    segment_ids=(OWNER.segment_id,),
    covers={"owner": 0.9},
)
REMOVED = DraftSentence(
    text="Nearly 1,000 boats lie in the harbour of Orrin.",
    segment_ids=(COUNT.segment_id,),
    covers={"boats": 0.9},
)
WAITS = DraftSentence(
    text="In 2019, the harbour held 420 boats.",
    segment_ids=(COUNT.segment_id,),
    covers={"boats": 0.5},
)
CENSUS = segment("d", f"A census found 433 boats at Orrin in 2022. {ORDER}")
ANEW = "A census found 433 boats at Orrin in 2022."
CHECKED = CheckedReport(
    draft=DraftReport(sentences=(STANDS,), reserve=(WAITS,)),
    removed=(Removal(sentence=REMOVED, label="none", reason="The source says 420."),),
)
FOUND = {REMOVED.text: [CENSUS]}


def anew(sentence: str, *keys: str) -> str:
    return json.dumps({"reason": "It says so.", "sentence": sentence, "keys": keys})


def revised(
    encode: Encode, asked: Asked, checked: CheckedReport = CHECKED, max_words: int = 250
) -> Revision:
    reviser = PromptedReviser(asked.model, encode, max_words)
    revision = asyncio.run(reviser(PROFILE, ANGLES, EVIDENCE, checked, FOUND))
    asked.script.assert_finished()
    assert revision.draft.sentences[: len(checked.draft.sentences)] == checked.draft.sentences
    return revision


def texts(revision: Revision) -> list[str]:
    return [sentence.text for sentence in revision.draft.sentences]


def test_a_sentence_is_written_anew_from_what_was_found(lexical_encode: Encode) -> None:
    revision = revised(lexical_encode, scripted(anew(ANEW, "E2", "E8")))
    assert texts(revision) == [STANDS.text, ANEW, WAITS.text]
    assert revision.draft.sentences[1].segment_ids == (CENSUS.segment_id,)
    assert revision.draft.sentences[1].covers == REMOVED.covers
    assert [item.segment for item in revision.evidence.items] == [CENSUS]
    assert revision.evidence.items[0].relevance == {"boats": 0.9}
    assert revision.draft.invented_keys == ("E8",)
    assert revision.draft.reserve == ()


def test_cited_again_it_brings_no_new_evidence(lexical_encode: Encode) -> None:
    text = "The Orrin Harbour Trust counted 420 boats in 2019."
    revision = revised(lexical_encode, scripted(anew(text, "E1")))
    assert revision.draft.sentences[1].segment_ids == (COUNT.segment_id,)
    assert revision.evidence == EvidenceSet()


@pytest.mark.parametrize(
    "answer",
    [
        anew(""),
        anew("", "E1"),
        anew(ANEW),
        anew(ANEW, "E7", CENSUS.segment_id),
        anew(STANDS.text, "E2"),
    ],
)
def test_what_is_not_written_anew_gives_way_to_the_reserve(
    lexical_encode: Encode, answer: str
) -> None:
    revision = revised(lexical_encode, scripted(answer))
    assert texts(revision) == [STANDS.text, WAITS.text]
    assert revision.evidence == EvidenceSet()


def test_a_sentence_with_a_fault_is_repaired_once(lexical_encode: Encode) -> None:
    asked = scripted(anew(f"{ANEW} That is a lot.", "E2"), anew(ANEW, "E2"))
    assert ANEW in texts(revised(lexical_encode, asked))
    (note,) = asked.notes()
    assert "more than one sentence" in note


def test_the_budget_holds(lexical_encode: Encode) -> None:
    # STANDS has 9 words, ANEW 9, WAITS 7.
    assert texts(revised(lexical_encode, scripted(anew(ANEW, "E2")), max_words=24)) == [
        STANDS.text,
        ANEW,
    ]
    revision = revised(lexical_encode, scripted(anew(ANEW, "E2")), max_words=17)
    assert texts(revision) == [STANDS.text, WAITS.text]
    assert revision.evidence == EvidenceSet()  # what is not cited after all is not taken


def test_what_is_new_needs_an_angle_to_be_evidence_for(lexical_encode: Encode) -> None:
    bare = REMOVED.model_copy(update={"covers": {}})
    removal = CHECKED.removed[0].model_copy(update={"sentence": bare})
    asked = scripted(anew(ANEW, "E2"))
    revision = revised(lexical_encode, asked, CHECKED.model_copy(update={"removed": (removal,)}))
    assert "E2>>>" not in asked.user()
    assert revision.draft.invented_keys == ("E2",)


def test_without_an_answer_on_any_it_fails(lexical_encode: Encode) -> None:
    with pytest.raises(StructuredOutputError):
        revised(lexical_encode, scripted("{}", "{}"))
    other = Removal(
        sentence=DraftSentence(text="So it is.", segment_ids=(LARK.segment_id,)),
        label="partial",
        reason="It may be.",
    )
    both = CHECKED.model_copy(update={"removed": (other, *CHECKED.removed)})
    revision = revised(lexical_encode, scripted("{}", "{}", anew(ANEW, "E2")), both)
    assert ANEW in texts(revision)
    assert revision.draft.notes == ("not rewritten, for want of an answer: StructuredOutputError",)


def test_with_nothing_removed_it_only_refills(lexical_encode: Encode) -> None:
    whole = CHECKED.model_copy(update={"removed": ()})
    assert texts(revised(lexical_encode, scripted(), whole)) == [STANDS.text, WAITS.text]


def test_the_request_fences_what_it_shows(lexical_encode: Encode) -> None:
    asked = scripted(anew(""))
    revised(lexical_encode, asked)
    outside = outside_fences(asked.user())
    for shown in ("Ignore the rules", REMOVED.text, "The source says 420.", "census"):
        assert shown in asked.user()
        assert shown not in outside


def test_without_a_model_the_reserve_steps_in() -> None:
    def revise(checked: CheckedReport) -> Revision:
        reviser = ExtractiveReviser(max_report_words=250)
        return asyncio.run(reviser(PROFILE, ANGLES, EVIDENCE, checked, FOUND))

    revision = revise(CHECKED)
    assert texts(revision) == [STANDS.text, WAITS.text]
    assert revision.evidence == EvidenceSet()
    nothing = CHECKED.model_copy(update={"draft": DraftReport(sentences=())})
    assert revise(nothing).draft == NOTHING_FOUND
