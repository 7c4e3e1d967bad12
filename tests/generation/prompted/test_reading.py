"""Pages are read once, in parts that fit, and what states a claim is evidence."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.generation.prompted.select_evidence import PromptedReader, choose, parts
from sidelight.schemas.investigation.evidence import (
    Evidence,
    EvidenceSet,
    FoundClaim,
    Selection,
)
from sidelight.schemas.segment import Segment
from tests.helpers.asking.conversation import nobody, scripted
from tests.helpers.asking.report_case import ANGLES, COUNT, LARK, OWNER, PROFILE

BODY = "".join(f"Sentence {n} is about the harbour of Orrin. " for n in range(30))
LONG_BODY = " ".join(f"Sentence number {n} of the page." for n in range(60))


def page_window(page, number, size=300, *, body=LONG_BODY):
    """Windows begin half a window apart."""
    start = number * size // 2
    text = body[start : start + size]
    return Segment(
        segment_id=f"web_doc_00_{page}#{number}_{number}",
        url=f"https://p{page}.example/",
        title=f"Page {page}",
        text=text,
        start_char=start,
        end_char=start + len(text),
    )


def window(number):
    return page_window(9, number, 420, body=BODY)


def claim(text, *keys, speaker="", stance="left out", statement="", **answers):
    return {
        "text": text,
        "keys": keys,
        "speaker": speaker,
        "stance": stance,
        "statement": statement,
        "answers": [{"angle_id": name, "label": label} for name, label in answers.items()],
    }


def reply(*claims):
    return json.dumps({"claims": claims})


def read(reader, candidates):
    return asyncio.run(reader(PROFILE, ANGLES, candidates))


def evidence_of(segment):
    return Evidence(segment=segment, relevance={"owner": 0.5})


BOTH = {"owner": [OWNER, LARK], "boats": [COUNT, OWNER]}


def test_claims_name_their_pages_and_questions():
    asked = scripted(
        reply(
            claim("Lark owns it.", "E1", "E3", "E9", owner="full", boats="background"),
            claim(
                "420 boats were counted.",
                "E2",
                speaker="the Trust",
                stance="against",
                statement="400",
                boats="partial",
                nobody="full",
            ),
            claim("This rests on nothing.", owner="full"),
            claim("This answers nothing.", "E1", nobody="full"),
        )
    )
    selection = read(PromptedReader(asked.model, nobody), BOTH)
    # The best of each question comes first: OWNER, COUNT, then LARK.
    assert selection.evidence.claims == (
        FoundClaim(
            text="Lark owns it.",
            segment_ids=(OWNER.segment_id, LARK.segment_id),
            answers={"boats": 0.2, "owner": 0.9},
            left_out=True,
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


@pytest.mark.parametrize(
    ("stance", "statement", "said"),
    [
        ("against", "400 boats", {"against": "400 boats"}),
        ("for", "400 boats", {"supports": "400 boats"}),
        ("left out", "", {"left_out": True}),
        ("against", "the article does not mention the Trust", {"left_out": True}),
        ("against", "does not say who pays", {"left_out": True}),
        ("against", "The article leaves the 2018 count out", {"left_out": True}),
        ("against", "that nothing was left of the harbour", {"against": None}),
        ("against", "", {}),
    ],
)
def test_what_the_article_leaves_out_contradicts_nothing(stance, statement, said):
    told = claim("Lark owns it.", "E1", stance=stance, statement=statement, owner="full")
    (found,) = read(PromptedReader(scripted(reply(told)).model, nobody), BOTH).evidence.claims
    expected = {"against": "", "supports": "", "left_out": False}
    expected |= {name: statement if one is None else one for name, one in said.items()}
    assert {name: getattr(found, name) for name in expected} == expected


def test_what_stands_beside_evidence_on_its_page_goes_along():
    asked = scripted(reply(claim("It is about the harbour.", "E2", owner="full")))
    windows = [window(0), window(2), window(4), window(7)]
    selection = read(PromptedReader(asked.model, nobody), {"owner": windows})
    (item,) = selection.evidence.items
    assert item.segment == windows[1]
    assert BODY[: windows[1].start_char].split()[-40:] == item.before.split()
    assert BODY[windows[1].end_char :].split()[:40] == item.after.split()


def test_no_window_is_read_twice():
    asked = scripted(reply(claim("Lark owns it.", "E1", owner="full")), reply())
    reader = PromptedReader(asked.model, nobody)
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


def test_of_windows_that_overlap_each_that_a_claim_needs_is_evidence():
    asked = scripted(reply(claim("It is about the harbour.", "E1", "E2", "E1", owner="full")))
    selection = read(PromptedReader(asked.model, nobody), {"owner": [window(0), window(1)]})
    (found,) = selection.evidence.claims
    assert found.segment_ids == ("web_doc_00_9#0_0", "web_doc_00_9#1_1")


def test_pages_are_shown_whole_with_their_source_once():
    asked = scripted(reply(claim("Lark owns it.", "E1", owner="full")))
    read(PromptedReader(asked.model, nobody), {"owner": [window(1), OWNER, window(0)]})
    text = asked.user()
    assert text.count("p9.example | Page 9") == 1
    assert text.count("(the page goes on)") == 1
    assert text.count("Sentence 7 is") == 1
    assert text.index("owner [publisher, have to know]") < text.index(
        "boats [figure, good to know]"
    )
    assert text.index("Who owns the Orrin Post?") < text.index("segment E1")
    assert "web_doc" not in text


def test_pages_on_another_matter_are_not_read():
    sweets = Segment(segment_id="web_doc_00_40#0_0", text="Sugar and honey make a sweet bun.")
    pages = [
        Segment(segment_id=f"web_doc_00_{n}#0_0", text=f"Of the harbour of Orrin, {n} boats.")
        for n in range(50, 61)
    ]
    asked = scripted(reply(claim("Lark owns it.", "E1", owner="full")))
    selection = read(PromptedReader(asked.model, nobody), {"owner": [sweets, *pages]})
    assert "honey" not in asked.user()
    assert selection.dropped[sweets.segment_id] == "its page is on another matter"
    # Of few pages all are read.
    asked = scripted(reply(claim("Lark owns it.", "E1", owner="full")))
    read(PromptedReader(asked.model, nobody), {"owner": [sweets, *pages[:5]]})
    assert "honey" in asked.user()


@pytest.mark.parametrize(
    ("useless", "fault"),
    [
        (claim("Lark owns it.", "article", owner="full"), "keys are E1 to E3"),
        (claim("Lark owns it.", "E1", ownership="full"), "answers no question by the id"),
        (claim("The statement", "E1", owner="full"), "no whole sentence"),
        (claim(PROFILE.body, "E1", owner="full"), "the article says this itself"),
    ],
)
def test_claims_of_which_none_can_be_used_are_no_answer(useless, fault):
    asked = scripted(reply(useless), reply(claim("Lark owns it.", "Segment E1", Owner="full")))
    assert len(read(PromptedReader(asked.model, nobody), BOTH).evidence.claims) == 1
    assert fault in asked.notes()[0]
    with pytest.raises(StructuredOutputError, match=fault):
        read(PromptedReader(scripted(reply(useless), reply(useless)).model, nobody), BOTH)


def test_a_claim_said_many_times_is_repaired_and_then_taken_once():
    asked = scripted(*[reply(*[claim("Lark owns it.", "E1", owner="full")] * 30)] * 2)
    assert len(read(PromptedReader(asked.model, nobody), BOTH).evidence.claims) == 1
    assert "this is said twice" in asked.notes()[0]


def test_no_claim_on_any_page_is_no_answer():
    with pytest.raises(StructuredOutputError, match="no claim was found in 3 passages"):
        read(PromptedReader(scripted(reply()).model, nobody), BOTH)


def test_a_page_bears_the_date_that_it_gives_as_its_own():
    pages = [
        OWNER.model_copy(update={"text": f"A headline\n{line}\nThe Orrin Post belongs to Lark."})
        for line in ("By Ilse Marrow, 3 May 2021", f"Vale was born on 4 June 1960, {'so ' * 15}")
    ]
    for page, date in zip(pages, ("3 May 2021", ""), strict=True):
        asked = scripted(reply(claim("Lark owns it.", "E1", owner="full")))
        selection = read(PromptedReader(asked.model, nobody), {"owner": [page]})
        assert [one.published for one in selection.evidence.items] == [date]
        assert ("| 3 May 2021" in asked.user()) is bool(date)


def test_a_part_without_an_answer_is_read_without_a_model():
    long = [
        Segment(
            segment_id=f"web_doc_00_{n}#0_{n}", url=f"https://{n}.example/", text=f"{n} " * 1_200
        )
        for n in range(10, 24)
    ]

    def answer(request):
        text = str(request)
        return "{}" if "10.example" in text else reply(claim("So it goes.", "E1", owner="full"))

    failures: list[ReplyError] = []

    def instead(error):
        failures.append(error)
        return plain

    async def plain(profile, angles, candidates):
        (first, *others) = candidates["owner"]
        assert len(others) < len(long) - 1
        return Selection(evidence=EvidenceSet(items=(evidence_of(first),)))

    asked = scripted(*[answer] * 3)
    selection = read(PromptedReader(asked.model, instead), {"owner": long})
    assert len(selection.evidence.claims) == len(failures) == 1
    assert [one.segment.host for one in selection.evidence.items] == ["10.example", "11.example"]
    assert "no usable answer: StructuredOutputError" in selection.dropped.values()


def test_without_any_answer_it_fails_and_without_candidates_nobody_is_asked():
    with pytest.raises(StructuredOutputError):
        read(PromptedReader(scripted("{}", "{}").model, nobody), BOTH)
    assert read(PromptedReader(scripted().model, nobody), {}) == Selection(evidence=EvidenceSet())


# Windows are read page by page, in parts that fit, and no text twice.
def test_the_best_of_every_angle_comes_before_the_second_of_any():
    one = [page_window(1, 0, body="a" * 900), page_window(2, 0, body="b" * 900)]
    other = [page_window(3, 0, body="c" * 900), page_window(1, 0, body="a" * 900)]
    assert choose([one, other], 10_000) == [one[0], other[0], one[1]]
    assert choose([one, other], 600) == [one[0], other[0]]
    assert choose([], 600) == []


def test_a_copy_on_another_page_is_not_read():
    assert choose([[page_window(1, 0), page_window(2, 0)]], 10_000) == [page_window(1, 0)]


def test_windows_apart_keep_their_text():
    ((first, third),) = parts([page_window(1, 0), page_window(1, 3)], {})
    assert [first.text, third.text] == [page_window(1, n).text.strip() for n in (0, 3)]
    assert not third.follows


def test_what_an_earlier_round_read_is_not_shown_again():
    read = {one.segment_id: one for one in (page_window(1, 0), page_window(1, 4))}
    new = [page_window(1, number) for number in (3, 2, 1)]
    ((first, second),) = parts(new, {"web_doc_00_1": read})
    assert f"{first.text}{second.text}".replace(" ", "") == LONG_BODY[300:600].replace(" ", "")
    assert first.before.split() == page_window(1, 0).text.split()[-40:]
    assert (first.follows, second.follows, second.before) == (True, True, "")


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), unique=True, max_size=120))
def test_every_window_is_in_one_part_or_says_nothing_new(places):
    segments = [page_window(page, number, 4_000, body=LONG_BODY * 20) for page, number in places]
    read = parts(segments, {})
    shown = [one.segment.segment_id for part in read for one in part]
    assert len(shown) == len(set(shown))
    assert set(shown) <= {one.segment_id for one in segments}
    assert {one.rpartition("#")[0] for one in shown} == {f"web_doc_00_{page}" for page, _ in places}
    assert all(sum(len(one.text) for one in part) <= 25_000 + 2_400 for part in read)
