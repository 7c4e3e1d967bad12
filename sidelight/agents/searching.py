"""Searches in their own threads, and their results in the form that roles receive.

A search may wait until a model has ranked its results. The model is called on the event loop, which
resolves host names in the loop's own small thread pool. Searches that waited in those threads would
keep the model's address from ever being resolved, so they get threads of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, ParamSpec, TypeVar

from sidelight.errors import InputError
from sidelight.english.injection import gives_orders
from sidelight.retrieval.base import Lookup
from sidelight.retrieval.lateral import LateralHits, LateralRetriever
from sidelight.schemas.investigation.evidence import EvidenceSet, Hit, Query
from sidelight.schemas.segment import Segment, document_id_of

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(max_workers=32, thread_name_prefix="search")


async def search(retriever: LateralRetriever, queries: Sequence[Query], k: int) -> LateralHits:
    """Return up to `k` hits for every query id, and what was left out."""
    return await in_thread(retriever.search, queries, k)


async def in_thread(search: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a search returns, made in a thread for searches."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_THREADS, lambda: search(*args, **kwargs))


ORDERS = "the page gives orders to software"


class Candidates(NamedTuple):
    """Segments a role may choose from.

    Attributes:
        by_name: Under each name asked for, best ranked first.
        refused: By document id, why none of its windows is shown to anyone.
    """

    by_name: dict[str, list[Segment]]
    refused: dict[str, str]


async def read_candidates(
    lookup: Lookup, hits: Mapping[str, Iterable[Hit]], refused: Collection[str]
) -> Candidates:
    """Fetch the segments behind hits, in a thread.

    A page of which any window gives orders to software is left out, here and for good: its other
    windows were written by the same hand.

    Args:
        lookup: Segment ids to segments, in the order asked for.
        hits: By name, best first; the same hit is taken once under a name.
        refused: Documents that are left out already.
    """
    wanted = sorted({hit.segment_id for found in hits.values() for hit in found})
    segments, ordering = await asyncio.to_thread(_read, lookup, wanted)
    out = {*refused, *ordering}
    by_name = {
        name: [
            segments[segment_id]
            for segment_id in dict.fromkeys(hit.segment_id for hit in found)
            if document_id_of(segment_id) not in out
        ]
        for name, found in hits.items()
    }
    return Candidates(by_name, ordering)


def _read(lookup: Lookup, wanted: Sequence[str]) -> tuple[dict[str, Segment], dict[str, str]]:
    segments = {one.segment_id: one for one in lookup(wanted)}
    ordering = {
        document_id_of(segment_id): ORDERS
        for segment_id, segment in segments.items()
        if gives_orders(f"{segment.title}\n{segment.text}")  # roles read both
    }
    return segments, ordering


def only_candidates(evidence: EvidenceSet, candidates: Candidates) -> EvidenceSet:
    """Return evidence a role chose, after making sure that it did choose.

    Raises:
        InputError: Something in it was not among the candidates.
    """
    shown = {one.segment_id for found in candidates.by_name.values() for one in found}
    taken = [item.segment.segment_id for item in evidence.items]
    for segment_id in (*taken, *(one for claim in evidence.claims for one in claim.segment_ids)):
        if segment_id not in shown:
            raise InputError(f"{segment_id} was taken as evidence but never found")
    return evidence
