"""Upkeep of a bank: spurious items, relevant passages that no item covers, and missing grades.

- A spurious item is answered by passages that assessors call not relevant.
- An uncovered passage is relevant and answers no item: an item is missing.
- A hole is a cell that nobody graded, because a run brought a passage or a bank an item.

Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 6.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.evaluation.exams.grades import relevance_label
from sidelight.text import one_line, sentences, stems, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidelight.evaluation.exams.grades import Exam, Qrels, Rankings

_FEWEST_WORDS, _MOST_WORDS = 5, 40


@dataclass(frozen=True, slots=True)
class ItemUse:
    """Number of passages that answer an item.

    Attributes:
        query_id: The query.
        item_id: The item.
        not_relevant: Passages that answer it and were judged not relevant.
        relevant: Passages that answer it and were judged relevant.
    """

    query_id: str
    item_id: str
    not_relevant: int
    relevant: int


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A relevant passage that answers no item well enough.

    Attributes:
        query_id: The query.
        passage_id: The passage.
        relevance: As assessors judged it.
        best: Its best grade.
    """

    query_id: str
    passage_id: str
    relevance: int
    best: int


@dataclass(frozen=True, slots=True)
class Hole:
    """A passage that was not graded, or not by all items.

    Attributes:
        query_id: The query.
        passage_id: The passage.
        missing: Items it was not graded by.
        in_file: Whether the file has its text.
    """

    query_id: str
    passage_id: str
    missing: int
    in_file: bool


def spurious_items(
    exam: Exam, judged: Qrels, *, min_grade: int, min_judgment: int
) -> list[ItemUse]:
    """Return items that some passage answers which is not relevant, the most such ones first."""
    counts: dict[tuple[str, str], list[int]] = {}
    for query_id, passages in exam.cells.items():
        for passage_id, cells in passages.items():
            relevance = judged.get(query_id, {}).get(passage_id)
            if relevance is None:
                continue
            for item, rating in cells.items():
                if rating >= min_grade:
                    both = counts.setdefault((query_id, item), [0, 0])
                    both[relevance >= min_judgment] += 1
    found = [ItemUse(*key, *both) for key, both in counts.items() if both[0]]
    return sorted(found, key=lambda one: (-one.not_relevant, one.query_id, one.item_id))


def uncovered_passages(
    exam: Exam, judged: Qrels, *, min_grade: int, min_judgment: int
) -> list[Uncovered]:
    """Return graded passages that are relevant and answer nothing, the most relevant first."""
    found = []
    for query_id, passages in exam.cells.items():
        for passage_id, cells in passages.items():
            relevance = judged.get(query_id, {}).get(passage_id)
            best = relevance_label(cells.values())
            if relevance is not None and relevance >= min_judgment and best < min_grade:
                found.append(Uncovered(query_id, passage_id, relevance, best))
    return sorted(found, key=lambda one: (-one.relevance, one.query_id, one.passage_id))


def holes(
    exam: Exam,
    rankings: Rankings,
    items: Mapping[str, Iterable[str]],
    runs: Iterable[Mapping[str, Iterable[str]]] = (),
) -> list[Hole]:
    """Return what has to be graded yet, in the order of the file, then of the runs.

    Args:
        exam: What is graded.
        rankings: What the file has.
        items: Query id -> items of its bank.
        runs: More runs: query id -> passages that count.
    """
    found: dict[tuple[str, str], Hole] = {}
    for query_id, passages in rankings.passages.items():
        asked = set(items.get(query_id, ()))
        for passage_id in passages:
            graded = exam.cells.get(query_id, {}).get(passage_id, {})
            if missing := len(asked - graded.keys()):
                found[query_id, passage_id] = Hole(query_id, passage_id, missing, in_file=True)
    known = {query_id: set(passages) for query_id, passages in rankings.passages.items()}
    for run in runs:
        for query_id, names in run.items():
            for passage_id in names:
                if query_id in items and passage_id not in known.get(query_id, ()):
                    missing = len(set(items[query_id]))
                    found.setdefault(
                        (query_id, passage_id), Hole(query_id, passage_id, missing, in_file=False)
                    )
    return list(found.values())


def suggested_item(query: str, passage: str, known: Iterable[str] = ()) -> str:
    """Return a fact of a passage that its bank could ask for: the sentence nearest to the query.

    Words of the query count, as do those that no item has yet; a sentence of very few words, or of
    very many, is taken where there is no other. It is for people to reword; empty where nothing is
    said.

    Args:
        query: Its words.
        passage: The text.
        known: Texts of the items there are.
    """
    asked = stems(query)
    taken = frozenset[str]().union(*map(stems, known)) - asked
    best, chosen = (False, -1.0), ""
    for sentence in sentences(passage):
        if not (words := stems(sentence)):
            continue
        handy = _FEWEST_WORDS <= len(tokens(sentence)) <= _MOST_WORDS
        worth = len(words & asked) / max(len(asked), 1) + len(words - taken) / len(words)
        if (handy, worth) > best:
            best, chosen = (handy, worth), one_line(sentence)
    return chosen
