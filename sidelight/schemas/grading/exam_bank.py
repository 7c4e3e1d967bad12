"""Test questions without answers, or key facts: what any passage can be graded by."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from sidelight.schemas.grading.bank import Bank, BankItem
from sidelight.schemas.grading.label_scale import Label

if TYPE_CHECKING:
    from collections.abc import Iterable

ExamKind = Literal["question", "nugget"]
"""What the items of a bank are: questions to be answered, or facts to be covered."""

EVEN = Label(name="even", credit=1)
"""The importance of an item where nobody said that one matters more than another."""

_VERSION_DIGITS = 12


class ExamItem(BankItem):
    """One question, or one fact.

    Attributes:
        item_id: `query/md5 of the text`, or `query/subtopic/md5`; see `exam_item_id`.
        importance: Even, unless the bank says otherwise.
        source: The object it was read from, whose other keys are written back; empty for a new one.
    """

    item_id: str = Field(min_length=1)
    importance: Label = EVEN
    source: dict[str, Any] = Field(default_factory=dict, repr=False)


class ExamBank(Bank):
    """What answers to one query, or to one subtopic of it, are graded by.

    Attributes:
        topic_id: The query.
        subtopic_id: The part of the query that is meant; empty where it is all of it.
        query_text: The query as its author wrote it.
        kind: What its items are.
        tests: The items; there may be none yet.
        source: The object it was read from, whose other keys are written back; empty for a new one.
    """

    subtopic_id: str = ""
    query_text: str
    kind: ExamKind
    tests: tuple[ExamItem, ...]
    source: dict[str, Any] = Field(default_factory=dict, repr=False)

    @property
    def items(self) -> tuple[ExamItem, ...]:
        """Return the questions or facts."""
        return self.tests

    @property
    def key(self) -> tuple[str, str]:
        """Return what it is for: the query and the subtopic."""
        return self.topic_id, self.subtopic_id

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        seen: set[str] = set()
        for item in self.tests:
            if item.item_id in seen:
                raise ValueError(f"query {self.topic_id}: item {item.item_id} occurs twice")
            seen.add(item.item_id)
        return self


def exam_item_id(topic_id: str, text: str, subtopic_id: str = "") -> str:
    """Return the id of an item: the same words for the same query always have the same."""
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return "/".join(part for part in (topic_id, subtopic_id, digest) if part)


def new_item(topic_id: str, text: str, subtopic_id: str = "") -> ExamItem:
    """Return an item that did not exist before."""
    text = text.strip()
    return ExamItem(item_id=exam_item_id(topic_id, text, subtopic_id), text=text)


def item_ids(banks: Iterable[ExamBank]) -> dict[str, list[str]]:
    """Return the ids of the items by query, of all its subtopics."""
    ids: dict[str, list[str]] = {}
    for bank in banks:
        ids.setdefault(bank.topic_id, []).extend(item.item_id for item in bank.items)
    return ids


def bank_version(banks: Iterable[ExamBank]) -> str:
    """Return what changes when an item is added, dropped, reworded or weighed anew.

    Neither the order of banks and items nor what else a file says of them counts.
    """
    rows = sorted(
        "\x1f".join((*bank.key, bank.kind, item.item_id, item.text, repr(item.weight)))
        for bank in banks
        for item in bank.items
    )
    return hashlib.sha256("\x1e".join(rows).encode()).hexdigest()[:_VERSION_DIGITS]
