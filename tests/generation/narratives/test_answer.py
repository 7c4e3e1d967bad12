"""An answer in one call: keys become citations, and the track's limits hold."""

from __future__ import annotations

import asyncio
import json

from sidelight.agents.answer import read_narrative
from sidelight.generation.narratives import PromptedAnswerWriter
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import DraftReport
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Narrative
from tests.helpers.asking.conversation import Asked, scripted

READ = read_narrative(Narrative(topic_id="n", narrative="Who pays for it? Since when?"))
EVIDENCE = EvidenceSet(
    items=tuple(
        Evidence(
            segment=Segment(segment_id=f"m_doc_00_{number}#0_0", text=f"Text {number}."),
            relevance={READ.angles[0].angle_id: 0.5},
        )
        for number in range(3)
    )
)


def written(*replies: str, evidence: EvidenceSet = EVIDENCE) -> tuple[DraftReport, Asked]:
    asked = scripted(*replies)
    writer = PromptedAnswerWriter(asked.model, max_report_words=12, max_citations=2)
    draft = asyncio.run(writer(READ.profile, READ.angles, evidence))
    asked.script.assert_finished()
    return draft, asked


def answer(*sentences: tuple[str, list[str]]) -> str:
    return json.dumps({"sentences": [{"text": text, "keys": keys} for text, keys in sentences]})


def test_keys_become_citations_and_what_has_none_is_dropped() -> None:
    draft, asked = written(
        answer(("A trust  pays.", ["E3", "E1", "E2"]), ("It is old.", ["E9"]), ("So be it.", []))
    )
    (sentence,) = draft.sentences
    assert sentence.text == "A trust pays."
    assert sentence.segment_ids == ("m_doc_00_2#0_0", "m_doc_00_0#0_0")
    assert draft.invented_keys == ("E9",)
    assert "- Who pays for it?\n- Since when?" in asked.user()


def test_an_answer_over_the_limits_is_mended_once() -> None:
    long = answer(("word " * 12 + "more.", ["E1"]))
    two = answer(("One. Two.", ["E1"]))
    for first, says in ((long, "13 words"), (two, "text 1 is not one sentence")):
        draft, asked = written(first, answer(("A trust pays.", ["E1"])))
        assert len(draft.sentences) == 1
        assert says in asked.notes()[0]


def test_without_evidence_nobody_is_asked() -> None:
    draft, _ = written(evidence=EvidenceSet())
    assert draft.sentences == ()
