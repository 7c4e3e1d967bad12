"""Merging, editing and comparing of banks. An item keeps its id as long as it keeps its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import UsageError
from sidelight.schemas.grading.rubric import ExamBank, ExamItem, new_item

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Banks = tuple[ExamBank, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one item.

    Attributes:
        query: The query, with the subtopic if there is one.
        what: `added` or `dropped`.
        item_id: The item.
        text: Its words.
    """

    query: str
    what: str
    item_id: str
    text: str


def merge_banks(files: Iterable[Banks]) -> Banks:
    """Return the queries of all files, each with the items of all, the first file's first.

    Raises:
        UsageError: A query has questions in one file and nuggets in another.
    """
    merged: dict[tuple[str, str], ExamBank] = {}
    for banks in files:
        for bank in banks:
            old = merged.get(bank.key)
            if old is None:
                merged[bank.key] = bank
                continue
            if old.kind != bank.kind:
                raise UsageError(
                    f"query {_name(bank)}: one bank has {old.kind}s, another {bank.kind}s",
                    remedy="Keep them in two files, and grade by each.",
                )
            items = {item.item_id: item for item in (*bank.items, *old.items)}
            order = dict.fromkeys(item.item_id for item in (*old.items, *bank.items))
            merged[bank.key] = old.model_copy(
                update={"tests": tuple(items[item_id] for item_id in order)}
            )
    return tuple(merged.values())


def edit_banks(
    banks: Banks,
    *,
    add: Sequence[tuple[str, str]] = (),
    drop: Sequence[str] = (),
    reword: Mapping[str, str] | None = None,
) -> Banks:
    """Return banks with some items changed.

    Args:
        banks: The banks.
        add: Query, or `query/subtopic`, and the text of a new item.
        drop: Ids of items.
        reword: Item id -> new words. It is another item then, in the place of the old one, and has
            to be graded anew; it remembers which one it replaces.

    Raises:
        UsageError: A query or an item is not there, or a new item is.
    """
    known = {item.item_id for bank in banks for item in bank.items}
    if unknown := [one for one in (*drop, *(reword or {})) if one not in known]:
        raise UsageError(f"no item {unknown[0]}", remedy="`sidelight bank show` lists them.")
    names = {_name(bank) for bank in banks}
    if absent := [query for query, _ in add if query not in names]:
        raise UsageError(f"no query {absent[0]}", remedy="`sidelight bank show` lists them.")
    changed = []
    for bank in banks:
        items = [
            _reworded(bank, item, (reword or {}).get(item.item_id))
            for item in bank.items
            if item.item_id not in drop
        ]
        items += [
            new_item(bank.topic_id, text, bank.subtopic_id)
            for query, text in add
            if query == _name(bank)
        ]
        ids = [item.item_id for item in items]
        if repeated := [one for one in ids if ids.count(one) > 1]:
            raise UsageError(f"query {_name(bank)} has the item {repeated[0]} already")
        changed.append(bank.model_copy(update={"tests": tuple(items)}))
    return tuple(changed)


def diff_banks(old: Banks, new: Banks) -> list[Change]:
    """Return what is only in the new file and what only in the old one, query by query."""
    sides = [
        {bank.key: (_name(bank), {one.item_id: one.text for one in bank.items}) for bank in banks}
        for banks in (old, new)
    ]
    changes = []
    for key in dict.fromkeys((*sides[0], *sides[1])):
        name = next(side[key][0] for side in sides if key in side)
        before, after = (side[key][1] if key in side else {} for side in sides)
        for what, ones, others in (("dropped", before, after), ("added", after, before)):
            changes += [
                Change(name, what, item_id, text)
                for item_id, text in ones.items()
                if item_id not in others
            ]
    return changes


def _reworded(bank: ExamBank, item: ExamItem, text: str | None) -> ExamItem:
    if text is None:
        return item
    new = new_item(bank.topic_id, text, bank.subtopic_id)
    source = {
        "query_id": bank.topic_id,
        "facet_id": bank.subtopic_id or None,
        "info": {"replaces": item.item_id},
    }
    return new.model_copy(update={"source": source})


def _name(bank: ExamBank) -> str:
    return "/".join(filter(None, bank.key))
