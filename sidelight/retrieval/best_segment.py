"""Document ranking by best segment, and merging of several searches' documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import document_id_of

USEFUL_STEP = 1000
"""What a step of usefulness adds to a score."""


class FoundDocument(NamedTuple):
    """A document that a search brought, and its best segment: of equal ones, the first by id."""

    document_id: str
    score: float
    segment_id: str


def documents_of(hits: Iterable[Hit]) -> list[FoundDocument]:
    """Return the documents behind hits, each with its best segment.

    Sorted by falling score, ties by rising document id; the order of the hits does not matter.
    """
    best: dict[str, FoundDocument] = {}
    for hit in ranked(list(hits)):
        name = document_id_of(hit.segment_id)
        best.setdefault(name, FoundDocument(name, hit.score, hit.segment_id))
    return sorted(best.values(), key=lambda one: (-one.score, one.document_id))


class DocumentRetriever:
    """Finds documents by searching for segments until there are enough."""

    def __init__(
        self, search: Callable[[Sequence[Query], int], Mapping[str, Sequence[Hit]]]
    ) -> None:
        self._search = search

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[FoundDocument]]:
        """Return up to `k` documents for every query id."""
        found: dict[str, list[FoundDocument]] = {}
        pending, depth = list(queries), 2 * k
        while pending:
            hits = self._search(pending, depth)
            short = []
            for query in pending:
                documents = documents_of(hits[query.query_id])
                found[query.query_id] = documents[:k]
                if len(documents) < k and len(hits[query.query_id]) >= depth:
                    short.append(query)
            pending, depth = short, 2 * depth
        return found


class Pooled(NamedTuple):
    """A document that any of several searches brought; `score` is the sum of its scores over them.

    `segment_ids` are its best segments, each once, that of the best score first.
    """

    document_id: str
    score: float
    segment_ids: tuple[str, ...]


def pool_documents(searches: Iterable[Sequence[FoundDocument]]) -> list[Pooled]:
    """Return the union of what searches brought, by falling sum of scores, ties by document id.

    Sums are rounded once, so the order of the searches cannot show in the last digit.
    """
    parts: dict[str, list[FoundDocument]] = {}
    for documents in searches:
        for one in documents:
            parts.setdefault(one.document_id, []).append(one)
    pooled = []
    for name, found in parts.items():
        best = sorted(found, key=lambda one: (-one.score, one.segment_id))
        segments = tuple(dict.fromkeys(one.segment_id for one in best))
        pooled.append(Pooled(name, fsum(one.score for one in found), segments))
    return sorted(pooled, key=lambda one: (-one.score, one.document_id))


def rank_pooled(pooled: Sequence[Pooled], usefulness: Mapping[str, float]) -> list[Hit]:
    """Rank documents by usefulness, then by the sum of their scores.

    A document scores 1000 times its usefulness plus the sum. Where a sum comes within a point of
    that or is larger, the step grows to the next thousand: a more useful document always stands
    above a less useful one, whatever rounding does.

    Source: TREC 2024 Lateral Reading track overview, section 2.3.2. Usefulness is a whole number;
    a missing one counts as 0.
    """
    largest = max((one.score for one in pooled), default=0.0)
    step = USEFUL_STEP * (1 + int((largest + 1.0) // USEFUL_STEP))
    return ranked(
        [
            Hit(one.document_id, step * usefulness.get(one.document_id, 0.0) + one.score)
            for one in pooled
        ]
    )
