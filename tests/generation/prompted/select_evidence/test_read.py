"""A model reads pages once, for all questions, and what states a claim is evidence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.generation.prompted.select_evidence import PromptedReader
from sidelight.schemas.investigation.evidence import EvidenceSet, FoundClaim, Selection
from sidelight.schemas.segment import Segment
from tests.helpers.asking.conversation import outside_fences, scripted
from tests.helpers.asking.report_case import ANGLES, COUNT, LARK, OWNER, PROFILE

BODY = "".join(f"Sentence {n} is about the harbour of Orrin. " for n in range(30))


def window(number: int) -> Segment:
    start = 5 * 42 * number
    text = BODY[start : start + 420]
    return Segment(
        segment_id=f"web_doc_00_9#{number}_{number}",
        url="https://z.example/",
        title="Page z",
        text=text,
        start_char=start,
        end_char=start + len(text),
    )


def claim(
    text: str, *keys: str, speaker: str = "", against: str = "", **answers: str
) -> dict[str, object]:
    return {
        "text": text,
        "keys": keys,
        "speaker": speaker,
        "against": against,
        "answers": [{"angle_id": name, "label": label} for name, label in answers.items()],
    }


def reply(*claims: dict[str, object]) -> str:
    return json.dumps({"claims": claims})


def read(reader: PromptedReader, candidates: Mapping[str, Sequence[Segment]]) -> Selection:
    return asyncio.run(reader(PROFILE, ANGLES, candidates))


BOTH = {"owner": [OWNER, LARK], "boats": [COUNT, OWNER]}


def test_claims_name_their_pages_and_questions() -> None:
    asked = scripted(
        reply(
            claim("Lark owns it.", "E1", "E3", "E9", owner="full", boats="background"),
            claim(
                "420 boats were counted.",
                "E2",
                speaker="the Trust",
                against="400",
                boats="partial",
                nobody="full",
            ),
            claim("This rests on nothing.", owner="full"),
            claim("This answers nothing.", "E1", nobody="full"),
        )
    )
    selection = read(PromptedReader(asked.model), BOTH)
    # The best of each question comes first: OWNER, COUNT, then LARK.
    assert selection.evidence.claims == (
        FoundClaim(
            text="Lark owns it.",
            segment_ids=(OWNER.segment_id, LARK.segment_id),
            answers={"boats": 0.2, "owner": 0.9},
        ),
        FoundClaim(
            text="420 boats were counted.",
            segment_ids=(COUNT.segment_id,),
            answers={"boats": 0.5},
            speaker="the Trust",
            against="400",
        ),
    )
    relevance = {one.segment.segment_id: one.relevance for one in selection.evidence.items}
    assert relevance == {
        OWNER.segment_id: {"boats": 0.2, "owner": 0.9},
        LARK.segment_id: {"boats": 0.2, "owner": 0.9},
        COUNT.segment_id: {"boats": 0.5},
    }
    assert sorted(selection.dropped.values()) == ["invented key", "invented key"]


def test_no_window_is_read_twice() -> None:
    asked = scripted(reply(claim("Lark owns it.", "E1", owner="full")), reply())
    reader = PromptedReader(asked.model)
    first = read(reader, {"owner": [OWNER, window(0), window(2)]})
    assert first.dropped == {
        "web_doc_00_9#0_0": "states nothing that is asked",
        "web_doc_00_9#2_2": "states nothing that is asked",
    }
    # Window 1 lies between windows 0 and 2 and holds nothing else.
    second = read(reader, {"owner": [OWNER, window(1)], "boats": [window(0), COUNT]})
    assert second.evidence == EvidenceSet()
    assert second.dropped == {
        "web_doc_00_9#0_0": "read before",
        "web_doc_00_9#1_1": "read before",
        COUNT.segment_id: "states nothing that is asked",
    }
    assert "segment E2" not in asked.user(1)
    assert COUNT.text in asked.user(1)
    read(reader, {"owner": [OWNER, COUNT]})
    asked.script.assert_finished()


def test_what_an_overlapping_window_says_is_cited_from_the_next_one() -> None:
    asked = scripted(reply(claim("It is about the harbour.", "E1", "E2", owner="full")))
    selection = read(PromptedReader(asked.model), {"owner": [window(0), window(1), window(2)]})
    (found,) = selection.evidence.claims
    assert found.segment_ids == ("web_doc_00_9#0_0", "web_doc_00_9#2_2")


def test_pages_are_shown_whole_with_their_source_once() -> None:
    asked = scripted(reply())
    read(PromptedReader(asked.model), {"owner": [window(1), OWNER, window(0)]})
    text = asked.user()
    assert text.count("z.example | Page z") == 1
    assert text.count("(the page goes on)") == 1
    assert text.count("Sentence 7 is") == 1
    assert text.index("owner [publisher, have to know]") < text.index(
        "boats [figure, good to know]"
    )
    assert text.index("Who owns the Orrin Post?") < text.index("segment E1")


def test_a_part_without_an_answer_costs_the_others_nothing() -> None:
    long = [
        Segment(
            segment_id=f"web_doc_00_{n}#0_{n}", url=f"https://{n}.example/", text=f"{n} " * 1_200
        )
        for n in range(10, 20)
    ]

    def answer(request: object) -> str:
        text = str(request)
        return "{}" if "10.example" in text else reply(claim("So it is.", "E1", owner="full"))

    asked = scripted(*[answer] * 3)
    reader = PromptedReader(asked.model)
    selection = read(reader, {"owner": long})
    assert len(selection.evidence.claims) == 1
    assert "no usable answer: StructuredOutputError" in selection.dropped.values()
    # What could not be read may come up again.
    asked.script._script.append(reply())
    again = read(reader, {"owner": long})
    assert "10.example" in asked.user(3)
    assert "states nothing that is asked" in again.dropped.values()


def test_without_any_answer_it_fails_and_without_candidates_nobody_is_asked() -> None:
    with pytest.raises(StructuredOutputError):
        read(PromptedReader(scripted("{}", "{}").model), BOTH)
    assert read(PromptedReader(scripted().model), {}) == Selection(evidence=EvidenceSet())


def test_the_request_fences_pages() -> None:
    asked = scripted(reply())
    read(PromptedReader(asked.model), BOTH)
    outside = outside_fences(asked.user())
    for shown in ("Ignore the rules", "Lark Media", "Page b", "Who owns the Orrin Post?"):
        assert shown in asked.user()
        assert shown not in outside
    assert "web_doc" not in asked.user()
