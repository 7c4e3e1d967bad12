"""Banks merged, edited and compared."""

from __future__ import annotations

import pytest

from sidelight.errors import UsageError
from sidelight.evaluation.exams.banks import diff_banks, edit_banks, merge_banks
from sidelight.schemas.grading.rubric import (
    ExamBank,
    ExamKind,
    bank_version,
    exam_item_id,
    new_item,
)


def bank(*texts: str, topic_id: str = "q", kind: ExamKind = "question") -> ExamBank:
    items = tuple(new_item(topic_id, text) for text in texts)
    return ExamBank(topic_id=topic_id, query_text="peat", kind=kind, tests=items)


def texts(banks: tuple[ExamBank, ...]) -> list[list[str]]:
    return [[item.text for item in one.items] for one in banks]


def test_merging_keeps_ids_and_order() -> None:
    merged = merge_banks([(bank("A?", "B?"),), (bank("B?", "C?"), bank("D?", topic_id="r"))])
    assert texts(merged) == [["A?", "B?", "C?"], ["D?"]]
    assert merged[0].items[1] == bank("B?").items[0]


def test_merging_with_itself_changes_nothing() -> None:
    one = (bank("A?", "B?"),)
    assert bank_version(merge_banks([one, one])) == bank_version(one)


def test_questions_and_nuggets_are_not_one_bank() -> None:
    with pytest.raises(UsageError, match="one bank has questions, another nuggets"):
        merge_banks([(bank("A?"),), (bank("A.", kind="nugget"),)])


def test_editing_adds_drops_and_rewords() -> None:
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
def test_what_cannot_be_changed_is_named(change: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        edit_banks((bank("A?"),), **change)  # type: ignore[arg-type]


def test_a_diff_names_both_sides() -> None:
    old, new = (bank("A?", "B?"),), (bank("B?", "C?"), bank("D?", topic_id="r"))
    changes = diff_banks(old, new)
    assert [(one.query, one.what, one.text) for one in changes] == [
        ("q", "dropped", "A?"),
        ("q", "added", "C?"),
        ("r", "added", "D?"),
    ]
    assert diff_banks(old, old) == []
