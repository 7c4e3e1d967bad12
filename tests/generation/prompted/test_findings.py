"""What was found, as models are shown it: keys, claims by question, and each fact once."""

import pytest

from sidelight.generation.prompted.findings import Findings, KeyedSegments
from sidelight.generation.prompted.select_evidence import ReadAssessor
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.schemas.investigation.evidence import EvidenceSet, FoundClaim
from tests.helpers.asking.report_case import (
    ANGLES,
    COUNT,
    EVIDENCE,
    HOLDS,
    LARK,
    OWNER,
    READ,
    SOLD,
)


def findings(*claims):
    evidence = EvidenceSet.merge(EVIDENCE, EvidenceSet(claims=claims))
    return Findings.of(ANGLES, evidence)


def test_claims_stand_under_the_question_they_answer_best():
    weak = SOLD.model_copy(
        update={"text": "Lark has papers.", "answers": {"owner": 0.2, "boats": 0.5}}
    )
    found = findings(weak, HOLDS, SOLD)
    shown = found.shown()
    assert [(one.angle_id, one.importance) for one in shown] == [
        ("owner", "have to know"),
        ("boats", "good to know"),
    ]
    assert [[claim.text for claim in one.claims] for one in shown] == [
        [SOLD.text],
        [weak.text, HOLDS.text],
    ]
    assert list(found.by_key) == ["C1", "C2", "C3"]
    # A page is named once.
    page = "b.example | Page b"
    sources = [claim.source for one in shown for claim in one.claims]
    held = "P1, P2 on 2 pages"
    assert sources == [f"{page}; {held}", f"as C1; {held}", "c.example | Page c; P3"]
    assert found.shown(["C2"])[0].claims[0].source == f"{page}; {held}"
    assert [one.angle_id for one in found.shown(["C2"])] == ["boats"]
    # What was filed under another question, too, is named there.
    assert [one.also for one in shown] == ["C2", ""]
    # Claims on no question are left out.
    stray = SOLD.model_copy(update={"answers": {"gone": 0.9}})
    assert stray.text not in [one.text for one in findings(stray).by_key.values()]


def test_a_question_asked_after_reading_is_shown_what_was_told_before():
    late = Angle(
        angle_id="lead-2-1",
        aspect=Aspect.FIGURE,
        question="How many boats did the Orrin Harbour Trust count in 2019?",
        query="boats counted",
        weight=4,
        told=(HOLDS.text, "nobody says so"),
    )
    found = Findings.of((*ANGLES, late), READ)
    assert [one.also for one in found.shown() if one.angle_id == "lead-2-1"] == ["C2"]
    # Nothing stands twice, and not where it is filed in any case.
    again = [one.model_copy(update={"told": (HOLDS.text, SOLD.text)}) for one in (*ANGLES, late)]
    found = Findings.of(again, READ)
    assert {one.angle_id: one.also for one in found.shown()} == {
        "owner": "C2",
        "boats": "C1",
        "lead-2-1": "C2, C1",
    }


def test_evidence_that_no_claim_rests_on_is_shown_as_it_stands():
    found = findings(SOLD)
    assert [one.text for one in found.by_key.values()] == [SOLD.text, COUNT.text]


def test_one_fact_twice_is_one_claim_with_all_its_pages():
    again = FoundClaim(
        text="In 2011 Lark Media bought the newspaper Orrin Post.",
        segment_ids=(COUNT.segment_id,),
        answers={"owner": 0.5, "boats": 0.2},
        speaker="somebody",
    )
    (claim,) = findings(again, SOLD).by_key.values()
    assert claim.text == SOLD.text
    assert claim.segment_ids == (LARK.segment_id, OWNER.segment_id, COUNT.segment_id)
    assert claim.answers == {"owner": 0.9, "boats": 0.2}
    assert claim.speaker == "somebody"
    other_year = again.model_copy(update={"text": again.text.replace("2011", "2012")})
    assert len(findings(other_year, SOLD).by_key) == 2


def test_merging_evidence_keeps_claims_in_one_order():
    claims = [EvidenceSet(claims=(one,)) for one in (SOLD, HOLDS)]
    merged = EvidenceSet.merge(*claims)
    assert merged == EvidenceSet.merge(*reversed(claims), *claims)
    assert READ.without({"web_doc_00_1"}).claims == (HOLDS,)


# Keys mean something in one prompt only; those it does not hold are told apart.
def test_keys_lead_back_and_invented_ones_are_counted():
    keyed = KeyedSegments([COUNT, OWNER], max_words=4)
    assert [(one.key, one.host) for one in keyed.shown] == [
        ("E1", "c.example"),
        ("E2", "a.example"),
    ]
    assert keyed.shown[0].text == "The Orrin Harbour Trust"
    named = ["E2", "E3", "e1", COUNT.segment_id, "E2", "E1", "E3"]
    assert keyed.resolve(named) == ((OWNER, COUNT), ("E3", "e1", COUNT.segment_id))


# Two sentences state one fact only if their figures and their negations agree.
@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("In the harbour of Orrin, 420 boats were counted by the Orrin Harbour Trust.", True),
        ("The Orrin Harbour Trust counted 430 boats in the harbour of Orrin.", False),
        ("The Orrin Harbour Trust never counted 420 boats in the harbour of Orrin.", False),
        ("Lark Media bought the newspaper Orrin Post for 420 crowns.", False),
        # It says more in the same words, or another thing with figures of its own.
        ("The Orrin Harbour Trust counted 420 boats in the harbour of Orrin in May 2019.", True),
        ("By its profile of 2019, the Orrin Harbour Trust has 420 boats in Orrin.", False),
        ("The Orrin Harbour Trust fined the owners of 30 of 420 boats in Orrin in 2019.", False),
    ],
)
def test_one_fact_or_two(other, same):
    text = "The Orrin Harbour Trust counted 420 boats in the harbour of Orrin."
    for pair in ((text, other), (other, text)):
        found = findings(*(HOLDS.model_copy(update={"text": one}) for one in pair))
        told = [one.text for one in found.by_key.values() if one.text in pair]
        assert len(told) == (1 if same else 2)


# An angle is covered as far as its best evidence answers it.
def test_the_best_of_each_angle_counts():
    assess = ReadAssessor(max_rounds=3, min_gain=0.02)
    assert assess.chances(ANGLES, EVIDENCE) == {"owner": 0.9, "boats": 0.9}
    assert assess.chances(ANGLES, EvidenceSet()) == {"owner": 0.0, "boats": 0.0}
