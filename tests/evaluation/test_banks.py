"""Banks drafted, merged, edited and compared."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import UsageError
from sidelight.evaluation.exams.banks import (
    DraftedQuery,
    Drafts,
    ExamDraft,
    check_draft,
    diff_banks,
    draft_banks,
    edit_banks,
    extract_bank,
    merge_banks,
)
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.rubric import (
    ExamBank,
    ExamKind,
    Style,
    bank_version,
    exam_item_id,
    new_item,
)
from tests.helpers.models.scripted_model import ScriptedModel

PEAT = DraftedQuery("q", "", "what is peat used for")
WETLANDS = DraftedQuery("q", "s", "Wetlands / How peat forms")


def reply(*items: str) -> str:
    return json.dumps({"items": items})


def draft(
    style: Style, *replies: str, query: DraftedQuery = PEAT, count: int = 2
) -> tuple[Drafts, ScriptedModel]:
    model = ScriptedModel(replies)
    prompted = PromptedModel(model, Sampling(), lambda _: None)
    drafts = asyncio.run(draft_banks(prompted, [query], style, count))
    model.assert_finished()
    return drafts, model


def test_questions_get_the_ids_of_their_words():
    drafts, model = draft(Style.DL, reply(" Who burns  peat?", "What grows on peat?"))
    (bank,) = drafts.banks
    assert bank.kind == "question"
    assert [item.text for item in bank.items] == ["Who burns peat?", "What grows on peat?"]
    assert bank.items[0].item_id == exam_item_id("q", "Who burns peat?")
    assert "what is peat used for" in model.requests[0].messages[-1].content


def test_a_subtopic_is_asked_about_apart_from_its_title():
    drafts, model = draft(Style.CAR, reply("How does peat form?", "Where?"), query=WETLANDS)
    assert drafts.banks[0].key == ("q", "s")
    asked = model.requests[0].messages[-1].content
    assert "<<<BEGIN subject>>>\nWetlands\n<<<END subject>>>" in asked
    assert "<<<BEGIN heading>>>\nHow peat forms\n<<<END heading>>>" in asked


def test_a_draft_that_will_not_do_is_asked_for_once_more():
    good = reply("Peat is burnt for heat.", "Peat is mixed into soil.")
    drafts, model = draft(Style.NUGGETS, reply("One fact alone."), good)
    assert drafts.banks[0].kind == "nugget"
    assert "expected 2 items; found 1" in model.requests[1].messages[-1].content


def test_a_query_without_a_usable_answer_is_named():
    drafts, _ = draft(Style.DL, "no", "never")
    assert not drafts.banks
    assert drafts.failed[0][0] == "q"


@pytest.mark.parametrize(
    ("style", "items", "says"),
    [
        (Style.DL, ["Who?"], "expected 2 items; found 1"),
        (Style.DL, ["Who?", "who?"], "occurs twice"),
        (Style.DL, ["Who?", "It is so."], "expected a question"),
        (Style.NUGGETS, ["It is.", "Is it?"], "expected a fact"),
        (Style.DL, ["Who?", "..."], "is empty"),
        (Style.NUGGETS, ["a" * 401, "b"], "more than 400"),
    ],
)
def test_what_is_no_bank_is_refused(style, items, says):
    with pytest.raises(ValueError, match=says):
        check_draft(ExamDraft(items=tuple(items)), style=style, count=2)


PASSAGES = [
    "Peat is burnt for heat in Irish homes. The site uses cookies for its own ends.",
    "In Ireland peat is burnt for heat and power. Gardeners mix peat into the soil of their pots.",
    "Gardeners mix peat into soil for their pots. Visit us again for more of this every day.",
]


def test_facts_that_passages_share_come_first():
    bank = extract_bank("q", "what is peat used for", PASSAGES, 2)
    texts = [item.text for item in bank.items]
    assert any("burnt" in text for text in texts)
    assert any("Gardeners" in text for text in texts)
    assert bank.kind == "nugget"


def test_the_order_of_passages_changes_nothing():
    one, other = (extract_bank("q", "peat", order, 5) for order in (PASSAGES, PASSAGES[::-1]))
    assert one.items == other.items


@given(passages=st.lists(st.text(max_size=120), max_size=4), count=st.integers(1, 5))
def test_any_passages_give_at_most_so_many_different_facts(passages, count):
    items = extract_bank("q", "peat", passages, count).items
    assert len(items) <= count
    assert len({item.item_id for item in items}) == len(items)


# Banks merged, edited and compared.
def bank(*texts: str, topic_id: str = "q", kind: ExamKind = "question") -> ExamBank:
    items = tuple(new_item(topic_id, text) for text in texts)
    return ExamBank(topic_id=topic_id, query_text="peat", kind=kind, tests=items)


def texts(banks: tuple[ExamBank, ...]) -> list[list[str]]:
    return [[item.text for item in one.items] for one in banks]


def test_merging_keeps_ids_and_order():
    merged = merge_banks([(bank("A?", "B?"),), (bank("B?", "C?"), bank("D?", topic_id="r"))])
    assert texts(merged) == [["A?", "B?", "C?"], ["D?"]]
    assert merged[0].items[1] == bank("B?").items[0]


def test_merging_with_itself_changes_nothing():
    one = (bank("A?", "B?"),)
    assert bank_version(merge_banks([one, one])) == bank_version(one)


def test_questions_and_nuggets_are_not_one_bank():
    with pytest.raises(UsageError, match="one bank has questions, another nuggets"):
        merge_banks([(bank("A?"),), (bank("A.", kind="nugget"),)])


def test_editing_adds_drops_and_rewords():
    a, b = (exam_item_id("q", text) for text in ("A?", "B?"))
    (edited,) = edit_banks(
        (bank("A?", "B?", "C?"),), add=[("q", "D?")], drop=[a], reword={b: "Why B?"}
    )
    assert [item.text for item in edited.items] == ["Why B?", "C?", "D?"]
    assert edited.items[0].item_id == exam_item_id("q", "Why B?")
    assert edited.items[0].source["info"] == {"replaces": b}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"drop": ["q/x"]}, "no item q/x"),
        ({"reword": {"q/x": "Y?"}}, "no item q/x"),
        ({"add": [("r", "Y?")]}, "no query r"),
        ({"add": [("q", "A?")]}, "already"),
    ],
)
def test_what_cannot_be_changed_is_named(change, says):
    with pytest.raises(UsageError, match=says):
        edit_banks((bank("A?"),), **change)  # type: ignore[arg-type]


def test_a_diff_names_both_sides():
    old, new = (bank("A?", "B?"),), (bank("B?", "C?"), bank("D?", topic_id="r"))
    changes = diff_banks(old, new)
    assert [(one.query, one.what, one.text) for one in changes] == [
        ("q", "dropped", "A?"),
        ("q", "added", "C?"),
        ("r", "added", "D?"),
    ]
    assert diff_banks(old, old) == []
