"""Lateral search around a topic: leaves out the article itself and duplicates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import FailedQueryError
from sidelight.schemas.investigation.evidence import DroppedHit, DropReason, Hit, Query
from sidelight.schemas.segment import Segment, document_id_of, overlapping
from sidelight.schemas.topic import Article
from sidelight.text import shingles, tokens

if TYPE_CHECKING:
    from sidelight.retrieval.base import Lookup, Retriever

# Segments of a topic to be remembered, since a search reads the text of its hits to tell copies of
# the article, and who selects among them reads it again. More than a round finds, which makes fifty
# searches of twice twenty hits; some 4 MB of text.
REMEMBERED = 2048
# A syndicated copy changes a byline or a headline; another account shares far fewer phrases.
COPY_OVERLAP = 0.8

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PREFIX = re.compile(r"^(?:www\.|amp\.)+", re.IGNORECASE)
# Of at most twenty parts, so that a long run of slashes takes no square of its length.
_SUFFIX = re.compile(r"(?:/amp|\.amp|[?&]amp(?:=1)?|/){1,20}$", re.IGNORECASE)


class LateralHits(NamedTuple):
    """Hits of a lateral search, up to `k` per query id, and what was left out, by segment id."""

    hits: dict[str, list[Hit]]
    dropped: tuple[DroppedHit, ...]


class LateralRetriever:
    """Wraps a retriever for one topic.

    It leaves out segments of an article, segments of copies of it, and of two windows that overlap
    the one that ranks lower. It asks for more than `k` hits until `k` remain or no more are found.

    Args:
        article: The article to search around; None to let everything through but overlaps.
        on_failure: Told of queries that an index server fails on, which then find nothing; without
            it they end the search.
        timing: Entered around each search.
    """

    def __init__(
        self,
        retriever: Retriever,
        article: Article | None,
        lookup: Lookup,
        on_failure: Callable[[FailedQueryError], object] | None = None,
        timing: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self.name = retriever.name
        self._retriever = retriever
        self._article = article
        self._lookup = lookup
        self._on_failure = on_failure
        self._timing = timing
        self._address = _address(article.url) if article else ""
        self._title = tokens(article.title) if article else []
        self._shingles = shingles(article.body) if article else frozenset()
        self._copies: dict[str, bool] = {}

    def search(self, queries: Sequence[Query], k: int) -> LateralHits:
        """Return up to `k` hits for every query id, and what was left out."""
        hits: dict[str, list[Hit]] = {query.query_id: [] for query in queries}
        dropped: set[DroppedHit] = set()
        pending, depth = list(queries), 2 * k
        while pending:
            try:
                with self._timing():
                    found = self._retriever.search(pending, depth)
            except FailedQueryError as error:
                left = [query for query in pending if query.text not in error.queries]
                if self._on_failure is None or len(left) == len(pending):
                    raise
                self._on_failure(error)
                pending = left
                continue
            self._compare({hit.segment_id for candidates in found.values() for hit in candidates})
            short = []
            for query in pending:
                candidates = found[query.query_id]
                kept, left_out = self._filter(candidates, k)
                hits[query.query_id] = kept
                dropped.update(left_out)
                if len(kept) < k and len(candidates) >= depth:
                    short.append(query)
            pending, depth = short, 2 * depth
        in_order = sorted(dropped, key=lambda one: (one.segment_id, one.reason))
        return LateralHits(hits, tuple(in_order))

    def _filter(self, candidates: Sequence[Hit], k: int) -> tuple[list[Hit], list[DroppedHit]]:
        kept: list[Hit] = []
        dropped: list[DroppedHit] = []
        kept_of: dict[str, list[str]] = {}
        for hit in candidates:
            if len(kept) == k:
                break
            siblings = kept_of.setdefault(document_id_of(hit.segment_id), [])
            if reason := self._reason_against(hit.segment_id, siblings):
                dropped.append(DroppedHit(segment_id=hit.segment_id, reason=reason))
            else:
                siblings.append(hit.segment_id)
                kept.append(hit)
        return kept, dropped

    def _reason_against(self, segment_id: str, siblings: Sequence[str]) -> DropReason | None:
        """Return why a hit is left out, given the windows of its document that are kept."""
        if self._article is not None:
            if document_id_of(segment_id) == self._article.topic_id:
                return "own-article"
            if self._copies[segment_id]:
                return "copy-of-article"
        return "overlaps-better-hit" if overlapping(segment_id, siblings) else None

    def _compare(self, segment_ids: set[str]) -> None:
        """Find out which segments are copies, unless that is known or does not matter."""
        if self._article is not None:
            new = sorted(segment_ids.difference(self._copies))
            for segment in self._lookup(new):
                self._copies[segment.segment_id] = self._is_copy(segment, self._article)

    def _is_copy(self, segment: Segment, article: Article) -> bool:
        same_address = bool(self._address) and _address(segment.url) == self._address
        # The same headline elsewhere may be an answer to the article; in the same place it is the
        # article under another address.
        same_host = bool(article.host) and segment.host == article.host
        same_title = bool(self._title) and tokens(segment.title) == self._title
        if same_address or (same_host and same_title):
            return True
        return overlap(shingles(segment.text), self._shingles) >= COPY_OVERLAP


def overlap(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    """Return the share of the smaller set that is in the other; 0 if it is empty."""
    shorter = min(len(first), len(second))
    return len(first & second) / shorter if shorter else 0.0


def _address(url: str) -> str:
    """Return an address without what differs between versions of a page: scheme, `www`, `amp`."""
    address = _SCHEME.sub("", url.strip()).partition("#")[0]
    host, slash, path = _PREFIX.sub("", address).partition("/")
    return _SUFFIX.sub("", f"{host.casefold()}{slash}{path}")
