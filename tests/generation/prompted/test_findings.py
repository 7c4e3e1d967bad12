"""What was found comes by question, the heaviest first, and each fact once."""

from __future__ import annotations

import asyncio

from sidelight.generation.prompted.findings import Findings
from sidelight.schemas.investigation.evidence import EvidenceSet, FoundClaim
from sidelight.text_vectors import Encode
from tests.helpers.asking.report_case import ANGLES, COUNT, EVIDENCE, HOLDS, LARK, OWNER, READ, SOLD


def findings(encode: Encode, *claims: FoundClaim) -> Findings:
    evidence = EvidenceSet.merge(EVIDENCE, EvidenceSet(claims=claims))
    return asyncio.run(Findings.of(ANGLES, evidence, encode))


def test_claims_stand_under_the_question_they_answer_best(lexical_encode: Encode) -> None:
    weak = SOLD.model_copy(
        update={"text": "Lark has papers.", "answers": {"owner": 0.2, "boats": 0.5}}
    )
    found = findings(lexical_encode, weak, HOLDS, SOLD)
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
    assert [one.angle_id for one in found.shown(["C2"])] == ["boats"]
    assert [len(one.claims) for one in found.shown(most=1)] == [1, 1]


def test_one_fact_twice_is_one_claim_with_all_its_pages(lexical_encode: Encode) -> None:
    again = FoundClaim(
        text="In 2011 Lark Media bought the newspaper Orrin Post.",
        segment_ids=(COUNT.segment_id,),
        answers={"owner": 0.5, "boats": 0.2},
        speaker="somebody",
    )
    (claim,) = findings(lexical_encode, again, SOLD).by_key.values()
    assert claim.text == SOLD.text
    assert claim.segment_ids == (LARK.segment_id, OWNER.segment_id, COUNT.segment_id)
    assert claim.answers == {"owner": 0.9, "boats": 0.2}
    assert claim.speaker == "somebody"
    other_year = again.model_copy(update={"text": again.text.replace("2011", "2012")})
    assert len(findings(lexical_encode, other_year, SOLD).by_key) == 2


def test_claims_on_no_question_are_left_out(lexical_encode: Encode) -> None:
    stray = SOLD.model_copy(update={"answers": {"gone": 0.9}})
    assert findings(lexical_encode, stray).by_key == {}


def test_merging_evidence_keeps_claims_in_one_order() -> None:
    claims = [EvidenceSet(claims=(one,)) for one in (SOLD, HOLDS)]
    merged = EvidenceSet.merge(*claims)
    assert merged == EvidenceSet.merge(*reversed(claims), *claims)
    assert READ.without({"web_doc_00_1"}).claims == (HOLDS,)
