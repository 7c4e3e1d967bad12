"""Merging, editing and comparing of banks. An item keeps its id as long as it keeps its words.

Drafting of banks: test questions or key facts by a model, or key facts without one.

Without a model the passages that systems returned for a query are summarised. A stem that many
passages share matters, and one of the query matters twice as much. Sentences are chosen greedily by
the weight they add that no chosen one has, normalised by length. Facts from a single passage come
last, because no other passage confirms them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from sidelight.errors import ReplyError, UsageError
from sidelight.llm.prompted import PromptedModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.rubric import ExamBank, ExamItem, Style, new_item
from sidelight.text import one_line, sentences, stems, tokens

Banks = tuple[ExamBank, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one item.

    Attributes:
        query: The query, with the subtopic if there is one.
        what: `added` or `dropped`.
    """

    query: str
    what: str
    item_id: str
    text: str


def merge_banks(files: Iterable[Banks]) -> Banks:
    """Return the queries of all files, each with the items of all, the first file's first."""
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

    `add` holds a query, or `query/subtopic`, and the text of each new item; `drop` holds item ids,
    and `reword` new words by item id. A reworded item is another item in the place of the old one:
    it has to be graded anew, and it remembers which one it replaces.
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


_FEWEST_WORDS, _MOST_WORDS = 6, 30
_MOST_SENTENCES = 5000
_OF_THE_QUERY = 2.0


def extract_bank(topic_id: str, query: str, passages: Iterable[str], count: int) -> ExamBank:
    """Return a bank of the key facts of some passages, the most important first.

    It has at most `count` facts. The order of the passages matters only to the time it takes.
    """
    by_sentence: dict[str, frozenset[str]] = {}
    shared: Counter[str] = Counter()
    for passage in passages:
        found = {
            one_line(sentence): stems(sentence)
            for sentence in sentences(passage)
            if _FEWEST_WORDS <= len(tokens(sentence)) <= _MOST_WORDS
        }
        by_sentence |= islice(found.items(), max(_MOST_SENTENCES - len(by_sentence), 0))
        shared.update(frozenset[str]().union(*found.values()))
    asked = stems(query)
    worth = {
        stem: (number - 1) * (_OF_THE_QUERY if stem in asked else 1.0)
        for stem, number in shared.items()
    }
    chosen: list[str] = []
    taken: set[str] = set()
    left = dict(by_sentence)
    while left and len(chosen) < count:
        # Ties go to the sentence that sorts first, whatever the order of the passages.
        gains = {
            one: sum(worth[stem] for stem in sorted(words - taken)) / sqrt(len(words) or 1)
            for one, words in left.items()
        }
        best = min(left, key=lambda one: (-gains[one], one))
        words = left.pop(best)
        if chosen and not words - taken:
            continue
        chosen.append(best)
        taken |= words
    return ExamBank(
        topic_id=topic_id,
        query_text=query,
        kind="nugget",
        tests=tuple(new_item(topic_id, text) for text in chosen),
    )


_HERE = Path(__file__).parent
DRAFTING_PROMPTS = {
    Style.DL: load_prompt(_HERE / "exam-questions.prompt.md"),
    Style.CAR: load_prompt(_HERE / "exam-connections.prompt.md"),
    Style.NUGGETS: load_prompt(_HERE / "exam-nuggets.prompt.md"),
}
MOST_ITEMS = 50
_MOST_CHARACTERS = 400
_BETWEEN = " / "  # the title and the subtopic of a query


class ExamDraft(Value):
    """The items of a bank, in the model's words."""

    items: tuple[str, ...] = Field(min_length=1, max_length=MOST_ITEMS)


class DraftedQuery(NamedTuple):
    """A query, or one subtopic of it, to draft a bank for.

    Attributes:
        subtopic_id: Empty for all of it.
        text: The query; with a subtopic `title / subtopic`.
    """

    topic_id: str
    subtopic_id: str
    text: str


class Drafts(NamedTuple):
    """Drafted banks, and the queries for which the model wrote none, with the reason."""

    banks: tuple[ExamBank, ...]
    failed: tuple[tuple[str, str], ...]


async def draft_banks(
    model: PromptedModel,
    queries: Sequence[DraftedQuery],
    style: Style,
    count: int,
    on_done: Callable[[int], None] = lambda _: None,
) -> Drafts:
    """Ask a model for a bank for each query, all at once.

    The model's cache makes the work resumable, and its server bounds the calls. `count` is the
    number of items of a bank.
    """

    async def draft(query: DraftedQuery) -> ExamBank | tuple[str, str]:
        values = {"query": query.text}
        if style is Style.CAR:
            title, _, subtopic = query.text.rpartition(_BETWEEN)
            values = {"query": title or subtopic, "subtopic": subtopic}
        try:
            answer = await model.answer(
                DRAFTING_PROMPTS[style],
                ExamDraft,
                check=partial(check_draft, style=style, count=count),
                ids=None,
                **values,
                count=count,
            )
        except ReplyError as error:
            return query.topic_id, str(error)
        finally:
            on_done(1)
        texts = dict.fromkeys(map(one_line, answer.items))
        return ExamBank(
            topic_id=query.topic_id,
            subtopic_id=query.subtopic_id,
            query_text=query.text,
            kind=style.kind,
            tests=tuple(new_item(query.topic_id, text, query.subtopic_id) for text in texts),
        )

    found = await asyncio.gather(*map(draft, queries))
    return Drafts(
        tuple(one for one in found if isinstance(one, ExamBank)),
        tuple(one for one in found if not isinstance(one, ExamBank)),
    )


def check_draft(draft: ExamDraft, *, style: Style, count: int) -> None:
    """Check that a draft is a valid bank, or raise a ValueError that says why not."""
    texts = [one_line(item) for item in draft.items]
    if len(texts) != count:
        raise ValueError(f"expected {count} items; found {len(texts)}")
    seen: set[str] = set()
    for text in texts:
        if not any(character.isalnum() for character in text):
            raise ValueError("an item is empty")
        if len(text) > _MOST_CHARACTERS:
            raise ValueError(f"an item has more than {_MOST_CHARACTERS} characters: {text[:60]}")
        if text.endswith("?") is not (style.kind == "question"):
            raise ValueError(
                f"expected {'a question' if style.kind == 'question' else 'a fact'}: {text}"
            )
        if text.casefold() in seen:
            raise ValueError(f"an item occurs twice: {text}")
        seen.add(text.casefold())
