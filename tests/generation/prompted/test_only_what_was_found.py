"""However a model names its sources, a report cites what was found for the topic or nothing."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.checks.support import PromptedSupportCheck
from sidelight.errors import InputError
from sidelight.generation.compose import resolve_report
from sidelight.generation.prompted.revise_report import PromptedReviser
from sidelight.generation.prompted.select_evidence import PromptedReader
from sidelight.generation.prompted.write_report import PromptedReportWriter
from sidelight.generation.support_checker import SupportChecker
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
    Report,
    ReportLimits,
)
from sidelight.schemas.run import CitedSentence
from tests.helpers.asking.conversation import scripted
from tests.helpers.asking.report_case import (
    ANGLES,
    COUNT,
    EVIDENCE,
    LARK,
    OWNER,
    PROFILE,
    READ,
    segment,
)

if TYPE_CHECKING:
    pass

LIMITS = ReportLimits(max_words=250, max_citations=3, max_uncited=9)
OUTSIDE = segment("j", "Nobody found this page.")
FOUND = segment("d", "A census found 433 boats at Orrin in 2022.")
KEYS = st.lists(
    st.sampled_from(["E1", "E2", "E3", "E99", "e1", "1", "[E1]", "", " E1", OUTSIDE.segment_id])
    | st.text(max_size=6),
    max_size=3,
)
FULL = json.dumps({"reason": "It says so.", "label": "full"})
KNOWN = {one.segment_id for one in (OWNER, LARK, COUNT)}


@given(KEYS)
def test_reading(keys):
    claim = {
        "text": "Lark Media owns the Orrin Post.",
        "keys": keys,
        "speaker": "",
        "against": "",
        "answers": [{"angle_id": "owner", "label": "full"}],
    }
    asked = scripted(json.dumps({"claims": [claim]}))
    candidates = {"owner": [OWNER, LARK]}
    selection = asyncio.run(PromptedReader(asked.model)(PROFILE, ANGLES, candidates))
    taken = {item.segment.segment_id for item in selection.evidence.items}
    assert taken <= {OWNER.segment_id, LARK.segment_id}
    assert len(taken) == len({"E1", "E2"} & set(keys))
    assert {one for claim in selection.evidence.claims for one in claim.segment_ids} == taken
    invented = [name for name, why in selection.dropped.items() if why == "invented key"]
    assert len(invented) == len(set(keys) - {"E1", "E2"})


@given(KEYS, KEYS)
def test_writing_and_revising(lexical_encode, stated, rewritten):
    stated = [key.replace("E", "C") for key in stated]
    sentence = {"claim_keys": stated, "text": "The Orrin Post belongs to Lark Media."}
    answer = json.dumps({"sentences": [sentence]})
    asked = scripted(*([answer] if {"C1", "C2"} & set(stated) else [answer, answer]))
    draft = asyncio.run(
        PromptedReportWriter(asked.model, lexical_encode, 250)(PROFILE, ANGLES, READ)
    )
    asked.script.assert_finished()
    assert draft.sentences
    assert {one for sentence in draft.sentences for one in sentence.segment_ids} <= KNOWN
    resolve_report("topic", draft, READ, LIMITS)

    removed = DraftSentence(text="So it is.", segment_ids=(COUNT.segment_id,), covers={"boats": 1})
    checked = CheckedReport(
        draft=DraftReport(sentences=()),
        removed=(Removal(sentence=removed, label="none", reason="It is not."),),
    )
    sentence = {"after": "", "text": "A census found 433 boats.", "keys": rewritten}
    answer = json.dumps({"sentences": [sentence]})
    asked = scripted(answer, answer)
    reviser = PromptedReviser(asked.model, lexical_encode, 250)
    revision = asyncio.run(reviser(PROFILE, ANGLES, READ, checked, {removed.text: [FOUND]}))
    cited = {one for sentence in revision.draft.sentences for one in sentence.segment_ids}
    assert cited == ({COUNT.segment_id} if "E1" in rewritten else set())
    assert revision.evidence == EvidenceSet()
    _, dropped = resolve_report("topic", revision.draft, READ, LIMITS)
    assert dropped == ()


def test_a_check_does_not_let_it_stand_nor_does_a_report_hold_it(lexical_encode):
    stray = DraftSentence(text="Lark Media owns the Orrin Post.", segment_ids=(OUTSIDE.segment_id,))
    mixed = stray.model_copy(update={"segment_ids": (OUTSIDE.segment_id, OWNER.segment_id)})
    asked = scripted(FULL)  # even where a model is content with what is left
    draft = DraftReport(sentences=(stray, mixed))
    checker = SupportChecker(lexical_encode, PromptedSupportCheck(asked.model))
    checked = asyncio.run(checker(PROFILE, draft, EVIDENCE))
    assert OUTSIDE.text not in asked.user()
    report, dropped = resolve_report("topic", checked.draft, EVIDENCE, LIMITS)
    assert [one.citations for one in report.sentences] == [(OWNER.segment_id,)]
    assert [one.segment_id for one in dropped] == [OUTSIDE.segment_id]
    with pytest.raises(InputError, match="not retrieved"):
        Report(
            topic_id="topic",
            sentences=(CitedSentence(text=stray.text, citations=stray.segment_ids),),
            evidence_ids=frozenset(KNOWN),
            limits=LIMITS,
        )
