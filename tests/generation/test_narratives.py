"""Narratives: split by a model, and answered in one call."""

import asyncio
import json

import pytest

from sidelight.agents.answer import read_narrative
from sidelight.errors import StructuredOutputError
from sidelight.generation.narratives import PromptedAnswerWriter, split_into_sub_narratives
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Narrative
from tests.helpers.asking.conversation import scripted

NARRATIVE = "I want to know who pays for the journal. I also ask what its critics say."


def listed(*texts, importance="vital"):
    return json.dumps(
        {"sub_narratives": [{"text": text, "importance": importance} for text in texts]}
    )


def test_the_second_step_sees_the_first_list_and_its_own_counts():
    drafter, reviser = scripted(listed("Who pays?", "Who owns?")), scripted(listed("Who  pays?"))
    found = asyncio.run(
        split_into_sub_narratives(NARRATIVE, ["owner"], drafter.model, reviser.model)
    )
    assert [(one.text, one.importance) for one in found] == [("Who pays?", "vital")]
    assert "- owner" in drafter.user()
    assert "- Who pays?\n- Who owns?" in reviser.user()
    assert "first draft" in reviser.user()


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ([f"Question {n}?" for n in range(11)], "a length of at most 10"),
        (["one two three four five six seven eight nine ten eleven twelve thirteen"], "13 words"),
        (["Who pays?", "who pays?"], "what an earlier one does"),
        ([" "], "0 words"),
        ([], "a length of at least 1"),
    ],
)
def test_what_is_no_list_of_sub_narratives_is_refused(texts, says):
    asked = scripted(listed(*texts), listed(*texts))
    with pytest.raises(StructuredOutputError, match=says):
        asyncio.run(split_into_sub_narratives(NARRATIVE, [], asked.model, asked.model))


# An answer in one call: keys become citations, and the track's limits hold.
READ = read_narrative(Narrative(topic_id="n", narrative="Who pays for it? Since when?"))


def passages(n):
    texts = (Segment(segment_id=f"m_doc_00_{k}#0_0", text=f"Text {k}.") for k in range(n))
    relevance = {READ.angles[0].angle_id: 0.5}
    return EvidenceSet(items=tuple(Evidence(segment=one, relevance=relevance) for one in texts))


def written(*replies, n=3):
    asked = scripted(*replies)
    limits = {"max_report_words": 12, "min_report_words": 5, "max_citations": 2}
    writer = PromptedAnswerWriter(asked.model, **limits)
    draft = asyncio.run(writer(READ.profile, READ.angles, passages(n)))
    asked.script.assert_finished()
    return draft, asked


def answer(*sentences, silent=()):
    written = [{"text": text, "keys": keys} for text, keys in sentences]
    return json.dumps({"sentences": written, "silent": silent})


def test_keys_become_citations_and_what_has_none_is_dropped():
    draft, asked = written(
        answer(("A trust  pays.", ["E3", "E1", "E2"]), ("It is old.", ["E9"]), ("So be it.", []))
    )
    (sentence,) = draft.sentences
    assert sentence.text == "A trust pays."
    assert sentence.segment_ids == ("m_doc_00_2#0_0", "m_doc_00_0#0_0")
    assert draft.invented_keys == ("E9",)
    assert "Who pays for it? Since when?\n<<<END asked>>>" in asked.user()
    assert "1. Who pays for it?\n2. Since when?" in asked.user()


def test_an_answer_over_the_limits_is_mended_once():
    long = answer(("word " * 12 + "more.", ["E1"]))
    two = answer(("One. Two.", ["E1"]))
    stray = answer(("It is old.", ["page one"]))
    for first, says in (
        (long, "13 words"),
        (two, "text 1 is not one sentence"),
        (stray, "no sentence names a passage"),
    ):
        draft, asked = written(first, answer(("A trust pays.", ["E1"])))
        assert len(draft.sentences) == 1
        assert says in asked.notes()[0]


def test_without_evidence_nobody_is_asked():
    draft, _ = written(n=0)
    assert draft.sentences == ()


def test_many_passages_are_read_a_part_at_a_time_and_gaps_are_noted():
    pays, old = ("A trust pays.", ["E1"]), ("It is old.", ["E30"])
    draft, asked = written(answer(pays), answer(pays, old, silent=(2, 9)), n=30)
    assert [one.segment_ids for one in draft.sentences] == [
        ("m_doc_00_0#0_0",),
        ("m_doc_00_29#0_0",),
    ]
    assert "A trust pays. [E1]" in asked.user(1)
    assert "passage E25>>>" not in asked.user(1)
    assert draft.notes == ("nothing found on: Since when?",)
